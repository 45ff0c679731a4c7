/** Archives brought in from files; one whose id is taken comes in under another. */
import { chooseFile } from "./choosing.js";
import { h } from "./dom.js";
import { dismiss } from "./jobs.js";
import { bring } from "./library.js";
import { ownerOnly } from "./login.js";
import { askId } from "./naming.js";
import { state } from "./state.js";

const files = new Map(); // job id -> what it was begun with, to be sent again

export async function importArchive(file, how = {}) {
  if (!(await ownerOnly())) return;
  location.hash = "#champions";
  const job = await bring(file, how);
  if (job) files.set(job.id, file);
}

export function chooseArchive() {
  chooseFile(".gz,.tgz", importArchive);
}

/** The ways on from an import whose id is taken: under another one, or in its place. */
export function importOtherwise(job) {
  const file = files.get(job.id);
  const id = job.conflict;
  if (!file || !id) return [];
  const again = async (how) => {
    await dismiss(job);
    importArchive(file, how);
  };
  const current = state.champions.find((one) => one.id === id);
  const ask = () =>
    askId({
      title: `Import ${file.name}`,
      verb: "Import",
      id,
      hint: `The ${id} here stays as it is; the archive becomes another champion.`,
      act: (as_id) => again({ as_id }),
    });
  const press = (words, onclick, title = null) => h("button.quiet.small", { type: "button", onclick, title }, words);
  return [
    press("Import under another id", ask),
    current && press("Replace the one here", () => again({ expected: current.version }), "It stays among the versions"),
  ].filter(Boolean);
}
