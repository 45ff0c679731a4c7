/** Every change of a sheet's lines, with a way back and forth. */
import { attempt } from "../core/login.js";
import { record } from "../core/undo.js";
import { effective, inverse, standing, touched } from "./changes.js";
import { desk } from "./desk.js";
import { submit } from "./outbox.js";
import { moveTo, view } from "./view.js";

/** @import { Place } from "./outbox.js" */

/**
 * Change the open sheet. Whether there was anything to change.
 * @param {SheetChange} change @param {string} words  what it does, for whoever takes it back
 * @param {{amend?: () => void, message?: string}} how  `amend` is offered where it is refused, the message with a way back
 */
export function perform(change, words, { amend, message = "" } = {}) {
  const forth = effective(change, desk.lines);
  const { project, sheet } = desk;
  if (!forth || !project || !sheet) return false;
  const place = { project: project.id, sheet: sheet.id };
  const isHere = () => place.sheet === desk.sheet?.id;
  const back = inverse(forth, desk.lines);
  submit(forth, place, amend);
  const step = {
    words,
    isHere,
    // What was changed once more since stays so.
    back: () => again(isHere() ? standing(back, forth, desk.lines) : back, place),
    forth: () => again(forth, place),
  };
  record(step, message);
  return true;
}

/**
 * Record a change that the studio made to the whole sheet.
 * @param {string} words @param {string} message @param {() => Promise<unknown>} turn  undoes it, then does it again, and so on
 */
export function recordSheet(words, message, turn) {
  const sheet = desk.sheet?.id;
  const turned = () => attempt(turn);
  record({ words, isHere: () => sheet === desk.sheet?.id, back: turned, forth: turned }, message);
}

/** @param {SheetChange} change @param {Place} place */
function again(change, place) {
  submit(change, place);
  const line = [...touched(change)].find((key) => view.places.has(key));
  if (line) moveTo(line);
}
