/** Changes of a sheet's lines, with undo and redo. */
import { emit } from "../core/bus.js";
import { EVENT } from "../core/events.js";
import { attempt } from "../core/login.js";
import { record } from "../core/undo.js";
import { affectedLines, effective, inverse, stillValid } from "./changes.js";
import { ALL } from "./lines.js";
import { submit } from "./outbox.js";
import { scriptState } from "./state.js";
import { moveTo, setFilter, view } from "./view.js";

/** @import { Place } from "./outbox.js" */

/**
 * Change the open sheet. Return false if the change has no effect.
 * @param {SheetChange} change @param {UndoLabel} words  describes the change
 * @param {{amend?: () => void, message?: string}} how  `amend` is offered if the change is refused; `message` is shown
 *   with Undo
 */
export function perform(change, words, { amend, message = "" } = {}) {
  const forth = effective(change, scriptState.lines);
  const { project, sheet } = scriptState;
  if (!forth || !project || !sheet) return false;
  const place = { project: project.id, sheet: sheet.id };
  const isHere = () => place.sheet === scriptState.sheet?.id;
  const back = inverse(forth, scriptState.lines);
  submit(forth, place, amend);
  const step = {
    words,
    isHere,
    // Undo keeps cells that were changed again later.
    back: () => again(isHere() ? stillValid(back, forth, scriptState.lines) : back, place),
    forth: () => again(forth, place),
  };
  record(step, message);
  return true;
}

/**
 * Record a change that the studio made to the whole sheet.
 * @param {UndoLabel} words @param {string} message @param {() => Promise<unknown>} turn  undoes and redoes it in turn
 */
export function recordSheet(words, message, turn) {
  const sheet = scriptState.sheet?.id;
  const turned = () => attempt(turn);
  record({ words, isHere: () => sheet === scriptState.sheet?.id, back: turned, forth: turned }, message);
}

/** @param {SheetChange} change @param {Place} place */
function again(change, place) {
  submit(change, place);
  if (place.sheet === scriptState.sheet?.id) showLine(affectedLines(change));
}

/** Show the first of these lines that exists, even if the filter hides it. @param {Iterable<string>} keys */
function showLine(keys) {
  const present = [...keys].filter((key) => scriptState.lines.get(key)?.deleted === false);
  const line = present.find((key) => view.places.has(key)) ?? present[0];
  if (!line) return;
  if (!view.places.has(line)) setFilter(ALL);
  moveTo(line);
  emit(EVENT.showLine, { focus: true });
}
