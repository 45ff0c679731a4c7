/** Archives brought in from files; one whose id is taken comes in under another. */
import { changed } from "../core/bus.js";
import { h } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { chooseFile } from "../core/file-picker.js";
import { ownerOnly } from "../core/login.js";
import { currentOf } from "../core/state.js";
import { dismiss } from "../jobs/jobs.js";
import { askId } from "./id-dialog.js";
import { importFile } from "./library.js";

/** @import { ImportOptions } from "./library.js" */

/** What jobs were begun with, by their id, to be sent again. @type {Map<string, File>} */
const files = new Map();

/** @param {File} file @param {ImportOptions} how */
export async function importArchive(file, how = {}) {
  if (!(await ownerOnly())) return;
  location.hash = "#champions";
  const job = await importFile(file, how);
  if (!job) return;
  files.set(job.id, file);
  changed(STATE.jobs); // it may have failed, and be on screen, before this page knew its id
}

export function chooseArchive() {
  chooseFile(".gz,.tgz", importArchive);
}

/** Buttons for an import whose id is taken: under another one, or in its place. @param {Job} job */
export function importOptions(job) {
  const file = files.get(job.id);
  const id = job.conflict;
  if (!file || !id) return [];
  const again = async (/** @type {ImportOptions} */ how) => {
    await dismiss(job);
    importArchive(file, how);
  };
  const ask = () =>
    askId({
      title: `Import ${file.name}`,
      verb: "Import",
      id,
      hint: `Champion ${id} does not change. The archive becomes a new champion.`,
      act: (as_id) => again({ as_id }),
    });
  const press = (/** @type {string} */ words, /** @type {() => unknown} */ onclick, title = "") =>
    h("button.quiet.small", { type: "button", onclick, title: title || null }, words);
  const other = press("Import with new id", ask);
  const expected = currentOf(id)?.version;
  if (!expected) return [other];
  return [other, press("Replace champion", () => again({ expected }), "The current version stays in Versions.")];
}
