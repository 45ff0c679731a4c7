/**
 * The dialog that updates a sheet from its changed file. It shows all differences before the update, which one Undo
 * takes back.
 */
import { actionButton, field, openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { attempt, ownerOnly } from "../core/login.js";
import { post, postFile, reason, refusedWith } from "../core/server.js";
import { showImported } from "./arrivals.js";
import { saved } from "./outbox.js";
import { encodingOf, uploadSheet } from "./sheet-upload.js";
import { projectPath, reload, scriptState } from "./state.js";
import { recordSheet } from "./undo.js";
import { summary, UpdateList } from "./update-list.js";

/**
 * @typedef {{file: File, sheet: string, others?: Record<string, () => unknown>}} Ask  `others`: other ways to use the
 *   file
 */

/** Show what a file would change in a sheet, and ask. @param {Ask} ask */
export function openUpdate({ file, sheet, others = {} }) {
  return attempt(async () => {
    if (!(await ownerOnly())) return;
    await saved();
    await new Update(file, sheet).open(others);
  });
}

class Update {
  /** @param {File} file @param {string} sheet */
  constructor(file, sheet) {
    this.file = file;
    this.project = scriptState.project?.id ?? "";
    this.holder = h("div.update-body");
    this.words = h("p.hint.update-words", { role: "status" });
    this.sheets = h("select", { onchange: () => this.#choose() }, ...sheetOptions(sheet));
    this.go = actionButton("primary", "Update sheet", () => this.#apply());
    /** @type {SheetComparison | null} */ this.comparison = null;
    /** @type {UpdateList | null} */ this.list = null;
  }

  /** Compare the file and open the dialog. Throws Refusal. @param {Record<string, () => unknown>} others */
  async open(others) {
    await this.#compare();
    const acts = Object.entries(others).map(([words, act]) => {
      const onclick = () => {
        this.dialog?.close();
        act();
      };
      return h("button.quiet", { type: "button", onclick }, words);
    });
    this.dialog = openDialog({
      title: `Update from ${this.file.name}`,
      look: "update",
      body: [field("Sheet to update", this.sheets), this.holder],
      actions: [this.words, ...acts, this.go],
    });
    this.go.focus();
  }

  /** Compare the file with the chosen sheet. */
  async #choose() {
    this.dialog?.showError("");
    try {
      await this.#compare();
    } catch (error) {
      this.dialog?.showError(reason(error));
    }
  }

  /** Load and show the comparison. Throws Refusal. */
  async #compare() {
    const path = projectPath(`/sheets/${this.sheets.value}/file?preview=true`, this.project);
    this.comparison = await uploadSheet(path, this.file, "PUT");
    this.list = new UpdateList(/** @type {SheetComparison} */ (this.comparison), () => this.#tell());
    this.holder.replaceChildren(
      ...columnNotes(/** @type {SheetComparison} */ (this.comparison)),
      this.list.filters,
      this.list.all,
      this.list.list,
    );
    this.#tell();
  }

  #tell() {
    if (this.comparison && this.list) this.words.textContent = summary(this.comparison, this.list.kept);
  }

  async #apply() {
    const { comparison, list, file } = this;
    if (!comparison || !list) return;
    const id = this.sheets.value;
    const path = projectPath(`/sheets/${id}`, this.project);
    try {
      const choice = JSON.stringify({ keep: [...list.kept].filter(Boolean), seen: comparison.digest });
      const sheet = await postFile(`${path}/update`, file, file.name, { choice, encoding: encodingOf(file) });
      this.dialog?.close();
      await showImported(this.project, sheet, file);
      recordSheet(
        `update ${comparison.name}`,
        `${comparison.name} updated. ${summary(comparison, list.kept)}`,
        turner(path, sheet),
      );
    } catch (error) {
      if (refusedWith(error, 409)) await this.#choose();
      this.dialog?.showError(reason(error));
    }
  }
}

/** Return a function that undoes an update, then redoes it, and so on. @param {string} path @param {Sheet} sheet */
function turner(path, { id, update = 0 }) {
  let latest = update;
  return async () => {
    const told = await post(`${path}/updates/${latest}/undo`);
    latest = told.update;
    if (scriptState.sheet?.id === id) await reload();
  };
}

/** @param {string} chosen */
function sheetOptions(chosen) {
  const sheets = scriptState.project?.sheets ?? [];
  return sheets.map(({ id, name }) => h("option", { value: id, selected: id === chosen }, name));
}

/** Return notes about new and removed columns. @param {SheetComparison} comparison */
function columnNotes({ new_columns, lost_columns }) {
  const named = (/** @type {string[]} */ names) => names.map((name) => name || "unnamed").join(", ");
  return [
    new_columns.length > 0 && h("p.hint", {}, `New columns: ${named(new_columns)}.`),
    lost_columns.length > 0 && h("p.hint", {}, `Removed columns (not in the file): ${named(lost_columns)}.`),
  ].filter((note) => note !== false);
}
