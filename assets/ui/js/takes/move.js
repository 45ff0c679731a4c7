/** The dialog that moves takes into an existing or a new folder. */
import { field, openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { keepForm } from "../core/drafts.js";
import { plural } from "../core/format.js";
import { reason } from "../core/server.js";
import { state } from "../core/state.js";
import { foldersOf } from "./fits.js";
import { move } from "./takes.js";

const FORM = "folder-form";

/** @param {Take[]} takes */
export function openMove(takes) {
  const input = h("input", { type: "text", maxlength: 60, required: true, pattern: ".*\\S.*" });
  const form = h("form", { id: FORM }, field("New folder", input));
  /** @param {string} folder */
  const act = async (folder) => {
    try {
      await move(takes, folder);
      drop();
      dialog.close();
    } catch (error) {
      dialog.showError(reason(error));
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act(input.value);
  });
  const drop = keepForm("move takes", form);
  const known = choices(takes, act);
  const dialog = openDialog({
    title: `Move ${plural(takes.length, "take")}`,
    look: "narrow",
    body: [known.length > 0 && h("div.folders", { role: "group", "aria-label": "Folders" }, ...known), form],
    actions: [h("button.primary", { form: FORM }, "Move takes")],
  });
  if (!known.length) input.focus();
}

/**
 * Return a button for each folder that does not contain all of the takes.
 * @param {Take[]} takes @param {(folder: string) => unknown} act
 */
function choices(takes, act) {
  return [...foldersOf(state.takes), ""]
    .filter((folder) => takes.some((take) => take.folder !== folder))
    .map((folder) => h("button.quiet", { type: "button", onclick: () => act(folder) }, folder || "No folder"));
}
