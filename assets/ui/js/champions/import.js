/** Imports archives from files. If the id is already used, the user can choose another one. */
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

/** The imported files by job id, needed to send them again. @type {Map<string, File>} */
const files = new Map();

/** @param {File} file @param {ImportOptions} how */
export async function importArchive(file, how = {}) {
  if (!(await ownerOnly())) return;
  location.hash = "#champions";
  const job = await importFile(file, how);
  if (!job) return;
  files.set(job.id, file);
  changed(STATE.jobs); // the failed job may be shown already, before this page knew its id
}

export function chooseArchive() {
  chooseFile(".gz,.tgz", importArchive);
}

/**
 * Return buttons for an import whose id is already used: import with a new id, or replace the champion.
 * @param {Job} job
 */
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
      hint: `Champion ${id} stays unchanged. The archive is imported as a new champion.`,
      act: (as_id) => again({ as_id }),
    });
  const press = (/** @type {string} */ words, /** @type {() => unknown} */ onclick, title = "") =>
    h("button.quiet.small", { type: "button", onclick, title: title || null }, words);
  const other = press("Import with new id", ask);
  const expected = currentOf(id)?.version;
  if (!expected) return [other];
  return [
    other,
    press("Replace champion", () => again({ expected }), "The current version stays in the list of versions."),
  ];
}
