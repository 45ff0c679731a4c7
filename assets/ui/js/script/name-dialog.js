/** Dialogs that ask for a name or for cells. */
import { field, openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { keepForm } from "../core/drafts.js";
import { reason } from "../core/server.js";
import { pasteSheet } from "./imports.js";
import { scriptState } from "./state.js";

const FORM = "script-form";

/**
 * @param {string} title @param {string} label @param {string} verb @param {string} value
 * @param {(value: string) => Promise<unknown>} act  if it throws, the dialog shows the error
 */
export function askName(title, label, verb, value, act) {
  const input = h("input", { type: "text", value, required: true, maxlength: 120, spellcheck: "false" });
  ask(title, verb, field(label, input), () => act(input.value.trim()));
  input.select();
}

export function askPaste() {
  const input = h("textarea", { rows: 10, required: true, spellcheck: "false" });
  const hint = "Copy cells with their headings in your spreadsheet and paste them here.";
  ask("Paste sheet", "Import sheet", field("Cells", input, hint), () => pasteSheet(input.value));
  input.focus();
}

/** @param {string} title @param {string} verb @param {HTMLElement} body @param {() => Promise<unknown>} act */
function ask(title, verb, body, act) {
  const form = h("form", { id: FORM }, body);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await act();
      drop();
      dialog.close();
    } catch (error) {
      dialog.showError(reason(error));
    }
  });
  const drop = keepForm(`${title} ${scriptState.project?.id ?? ""}`, form);
  const dialog = openDialog({
    title,
    look: "narrow",
    body: [form],
    actions: [h("button.primary", { form: FORM }, verb)],
  });
}
