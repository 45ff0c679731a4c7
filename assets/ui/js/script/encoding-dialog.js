/** Ask for the encoding of a sheet's file if it is uncertain; the dialog shows the lines in each encoding. */
import { field, openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { upload } from "../core/upload.js";
import { ROOT } from "./state.js";

const FORM = "encoding-form";
const HINT = "This file can be read in several ways. Choose the encoding in which the lines look right.";

/** @typedef {{name: string, title: string, lines: string[]}} EncodingChoice */

/**
 * Return the chosen encoding; empty if none was chosen. Throws Refusal.
 * @param {File} file @returns {Promise<string>}
 */
export async function askEncoding(file) {
  /** @type {EncodingChoice[]} */
  const choices = await upload(`${ROOT}/encodings?name=${encodeURIComponent(file.name)}`, file);
  const select = h(
    "select",
    {},
    ...choices.map(({ name, title }) => h("option", { value: name }, `${title}, ${name}`)),
  );
  const lines = h("ul.encoding-lines", { "aria-label": "Lines of the sheet", "aria-live": "polite" });
  const draw = () => {
    const shown = choices.find(({ name }) => name === select.value)?.lines ?? [];
    lines.replaceChildren(...shown.map((line) => h("li", {}, line)));
  };
  select.addEventListener("change", draw);
  draw();
  return new Promise((resolve) => {
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      resolve(select.value);
      dialog.close();
    };
    const form = h("form", { id: FORM, onsubmit }, field("Encoding", select, HINT), lines);
    const dialog = openDialog({
      title: `Encoding of ${file.name}`,
      look: "narrow",
      body: [form],
      actions: [h("button.primary", { form: FORM }, "Import sheet")],
      onclose: () => resolve(""), // has no effect after a choice
    });
    select.focus();
  });
}
