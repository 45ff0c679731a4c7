/** Asking for another id: for a copy, or for what comes in under one that is taken. */
import { h } from "./dom.js";
import { duplicate, freeId } from "./library.js";
import { field, openSheet } from "./sheet.js";
import { toast } from "./toast.js";
import { titled } from "./words.js";

/** @param {{title: string, verb: string, id: string, hint: string, act: (id: string) => Promise<void>}} what */
export function askId({ title, verb, id, hint, act }) {
  const input = h("input", {
    type: "text",
    value: freeId(id),
    required: true,
    spellcheck: "false",
    autocapitalize: "none",
  });
  const form = h("form", { id: "naming-form" }, field("Id", input, hint));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await act(input.value.trim());
      sheet.close();
    } catch (error) {
      sheet.say(error.message);
    }
  });
  const actions = [h("button.primary", { form: "naming-form" }, verb)];
  const sheet = openSheet({ title, look: "narrow", body: [form], actions });
  input.select();
}

export function openDuplicate({ id, title }) {
  askId({
    title: `Duplicate ${title}`,
    verb: "Duplicate",
    id,
    hint: "Its archive will carry this id too.",
    act: async (as_id) => {
      await duplicate(id, as_id);
      toast(`${titled(title)} is there a second time, as ${as_id}.`);
    },
  });
}
