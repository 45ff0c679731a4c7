/** Every change of a sheet's lines, with a way back and forth. */
import { announce } from "../core/dom.js";
import { effective, inverse, touched } from "./changes.js";
import { desk } from "./desk.js";
import { submit } from "./outbox.js";
import { moveTo, view } from "./view.js";

/** @typedef {{sheet: string, forth: SheetChange, back: SheetChange, words: string}} Step */

const MOST = 500;
/** @type {Step[]} */
let done = [];
/** @type {Step[]} */
let undone = [];

/**
 * Change the open sheet. Whether there was anything to change.
 * @param {SheetChange} change @param {string} words  what it does, for whoever takes it back @param {() => void} [amend]  offered where it is refused
 */
export function perform(change, words, amend) {
  const forth = effective(change, desk.lines);
  if (!forth || !desk.sheet) return false;
  done = [...done, { sheet: desk.sheet.id, forth, back: inverse(forth, desk.lines), words }].slice(-MOST);
  undone = [];
  submit(forth, amend);
  return true;
}

export function undo() {
  const last = done.findLast(({ sheet }) => sheet === desk.sheet?.id);
  if (!last) return announce("Nothing to undo.");
  done = done.filter((one) => one !== last);
  undone = [...undone, last];
  return redone(last.back, `Undone: ${last.words}.`);
}

export function redo() {
  const last = undone.findLast(({ sheet }) => sheet === desk.sheet?.id);
  if (!last) return announce("Nothing to do again.");
  undone = undone.filter((one) => one !== last);
  done = [...done, last];
  return redone(last.forth, `Done again: ${last.words}.`);
}

/** @param {SheetChange} change @param {string} words */
function redone(change, words) {
  submit(change);
  const line = [...touched(change)].find((key) => view.places.has(key));
  if (line) moveTo(line);
  announce(words);
}
