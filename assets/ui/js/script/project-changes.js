/** Changes of a project's cast and lexicon, with undo and redo. Later changes from other windows are kept. */
import { attempt } from "../core/login.js";
import { get, patch, put } from "../core/server.js";
import { toast } from "../core/toast.js";
import { record } from "../core/undo.js";
import { castPart, castParts, lexiconOf, lexiconPart, lexiconParts, merged, otherParts } from "./project-parts.js";
import { look, projectPath, scriptState, setProject } from "./state.js";

/** @import { PartChange, Parts } from "./project-parts.js" */
/**
 * A part of a project that is changed by name.
 * @typedef {object} Kind
 * @property {string} object  name of the kind in messages
 * @property {(project: Project) => Parts} read
 * @property {(name: string) => string} named  the name of a part in messages
 * @property {(path: string, parts: Parts) => Promise<Project>} write  throws Refusal
 */

/** @type {Kind} */
const CAST = {
  object: "cast",
  read: ({ cast }) => castParts(cast),
  named: castPart,
  write: (path, parts) => patch(path, { cast: parts }),
};
/** @type {Kind} */
const LEXICON = {
  object: "lexicon",
  read: ({ lexicon }) => lexiconParts(lexicon),
  named: lexiconPart,
  write: (path, parts) => put(`${path}/lexicon`, lexiconOf(parts)),
};

/**
 * Save the characters that differ from the cast as it was when the dialog opened. Throws Refusal.
 * @param {Project} project @param {Cast} cast
 */
export function saveCast(project, cast) {
  return save(CAST, project, castParts(cast));
}

/**
 * Save the words that differ from the lexicon as it was when the dialog opened. Throws Refusal.
 * @param {Project} project @param {Respelling[]} entries
 */
export function saveLexicon(project, entries) {
  return save(LEXICON, project, lexiconParts(entries));
}

/** Record that an import changed the lexicon. @param {Project} before @param {Project} after */
export function recordLexicon(before, after) {
  recordChange(LEXICON, before.id, otherParts(LEXICON.read(before), LEXICON.read(after)));
}

/** @param {Kind} kind @param {Project} opened @param {Parts} wanted */
async function save(kind, opened, wanted) {
  const path = projectPath("", opened.id);
  const mine = otherParts(kind.read(opened), wanted);
  if (!mine.length) return;
  const now = kind.read(await get(path));
  const told = await kind.write(path, merged(now, mine));
  setProject(told);
  recordChange(kind, opened.id, otherParts(now, kind.read(told)));
}

/** @param {Kind} kind @param {string} project @param {PartChange[]} change */
function recordChange(kind, project, change) {
  if (!change.length) return;
  const back = change.map(({ name, before, after }) => ({ name, before: after, after: before }));
  record({
    words: `change ${kind.object}`,
    isHere: () => scriptState.project?.id === project,
    back: () => attempt(() => turn(kind, project, back)),
    forth: () => attempt(() => turn(kind, project, change)),
  });
}

/**
 * Apply a change, but only to parts that nobody else changed. Throws Refusal.
 * @param {Kind} kind @param {string} project @param {PartChange[]} change
 */
async function turn(kind, project, change) {
  const path = projectPath("", project);
  const now = kind.read(await get(path));
  const same = (/** @type {string} */ name, /** @type {unknown} */ value) =>
    JSON.stringify(now[name]) === JSON.stringify(value);
  const stands = change.filter(({ name, before }) => same(name, before));
  const others = change.filter(({ name, before, after }) => !same(name, before) && !same(name, after));
  if (stands.length) {
    const told = await kind.write(path, merged(now, stands));
    if (scriptState.project?.id === project) setProject(told);
  }
  if (others.length) {
    const names = others.map(({ name }) => kind.named(name)).join(", ");
    toast(
      `The ${kind.object} of ${names} was also changed in another window. The change from the other window is kept.`,
    );
  }
  if (scriptState.project?.id === project) await look();
}
