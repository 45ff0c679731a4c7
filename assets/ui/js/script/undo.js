/** Every change of a sheet's lines, with a way back and forth. */
import { announce } from "../core/dom.js";
import { attempt } from "../core/login.js";
import { toast } from "../core/toast.js";
import { effective, inverse, standing, touched } from "./changes.js";
import { desk } from "./desk.js";
import { submit } from "./outbox.js";
import { moveTo, view } from "./view.js";

/** @import { Place } from "./outbox.js" */
/**
 * @typedef {{place: Place, forth: SheetChange, back: SheetChange, words: string, dismiss: () => void,
 *   turn?: () => Promise<unknown>}} Step  `turn`: the studio changed the sheet as a whole, and turns that back and forth
 */

const MOST = 500;
/** @type {Step[]} */
let done = [];
/** @type {Step[]} */
let undone = [];

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
  /** @type {Step} */
  const step = { place, forth, back: inverse(forth, desk.lines), words, dismiss: () => {} };
  done = [...done, step].slice(-MOST);
  undone = [];
  submit(forth, place, amend);
  if (message) step.dismiss = toast(message, { action: "Undo", onaction: () => takeBack(step) });
  return true;
}

/**
 * A change of the sheet as a whole that the studio made.
 * @param {string} words @param {string} message @param {() => Promise<unknown>} turn  takes it back, then does it again, and so on
 */
export function record(words, message, turn) {
  const { project, sheet } = desk;
  if (!project || !sheet) return;
  /** @type {Step} */
  const step = { place: { project: project.id, sheet: sheet.id }, forth: {}, back: {}, words, dismiss: () => {}, turn };
  done = [...done, step].slice(-MOST);
  undone = [];
  step.dismiss = toast(message, { action: "Undo", onaction: () => takeBack(step) });
}

export function undo() {
  const last = done.findLast(isHere);
  return last ? takeBack(last) : announce("Nothing to undo.");
}

/** What was changed once more since stays so. @param {Step} step */
function takeBack(step) {
  step.dismiss();
  done = done.filter((one) => one !== step);
  undone = [...undone, step];
  if (step.turn) return turned(step, `Undone: ${step.words}.`);
  const back = isHere(step) ? standing(step.back, step.forth, desk.lines) : step.back;
  return redone(back, step.place, `Undone: ${step.words}.`);
}

export function redo() {
  const last = undone.findLast(isHere);
  if (!last) return announce("Nothing to do again.");
  undone = undone.filter((one) => one !== last);
  done = [...done, last];
  if (last.turn) return turned(last, `Done again: ${last.words}.`);
  return redone(last.forth, last.place, `Done again: ${last.words}.`);
}

/** @param {Step} step @param {string} words */
function turned({ turn }, words) {
  return attempt(async () => {
    await turn?.();
    announce(words);
  });
}

/** @param {Step} step */
function isHere({ place }) {
  return place.sheet === desk.sheet?.id;
}

/** @param {SheetChange} change @param {Place} place @param {string} words */
function redone(change, place, words) {
  submit(change, place);
  const line = [...touched(change)].find((key) => view.places.has(key));
  if (line) moveTo(line);
  announce(words);
}
