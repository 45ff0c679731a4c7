/** The dialog that asks for another id: for a copy, or for an import whose id is already used. */
import { field, openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { keepForm } from "../core/drafts.js";
import { reason } from "../core/server.js";
import { toast } from "../core/toast.js";
import { duplicate, freeId } from "./library.js";

const FORM = "naming-form";

/** @param {{title: string, verb: string, id: string, hint: string, act: (id: string) => Promise<void>}} what */
export function askId({ title, verb, id, hint, act }) {
  const input = h("input", {
    type: "text",
    value: freeId(id),
    required: true,
    spellcheck: "false",
    autocapitalize: "none",
  });
  const form = h("form", { id: FORM }, field("Id", input, hint));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await act(input.value.trim());
      drop();
      dialog.close();
    } catch (error) {
      dialog.showError(reason(error));
    }
  });
  const drop = keepForm(title, form);
  const dialog = openDialog({
    title,
    look: "narrow",
    body: [form],
    actions: [h("button.primary", { form: FORM }, verb)],
  });
  input.select();
}

/** @param {Champion} champion */
export function openDuplicate({ id, title }) {
  askId({
    title: `Duplicate ${title}`,
    verb: "Duplicate",
    id,
    hint: "The archive file gets this name too.",
    act: async (as_id) => {
      await duplicate(id, as_id);
      toast(`Champion duplicated as ${as_id}.`);
    },
  });
}
