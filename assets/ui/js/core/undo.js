/** Undo and redo for each page, latest step first: by message, menu or Ctrl+Z. */
import { changed } from "./bus.js";
import { announce } from "./dom.js";
import { STATE } from "./events.js";
import { page } from "./pages.js";
import { toast } from "./toast.js";

/**
 * @typedef {object} Step
 * @property {UndoLabel} words  the step, such as "delete 2 takes"
 * @property {() => unknown} back  undoes the step
 * @property {() => unknown} [forth]  redoes the step
 * @property {() => boolean} [isHere]  whether the page shows the object of the step
 */
/** @typedef {Step & {page: string | undefined, dismiss: () => void}} Kept */

const MOST = 500;
/** @type {Kept[]} */
let done = [];
/** @type {Kept[]} */
let undone = [];
/** The last action that was started. @type {Promise<unknown> | null} */
let running = null;

/** Record a step of this page; with a message, also show the message and an Undo button. @param {Step} step */
export function record(step, message = "") {
  /** @type {Kept} */
  const kept = { ...step, page: page(), dismiss: () => {} };
  done = [...done, kept].slice(-MOST);
  undone = undone.filter((one) => one.page !== kept.page);
  changed(STATE.undo);
  if (message)
    kept.dismiss = toast(message, { action: "Undo", hint: `Undo: ${step.words}`, onaction: () => takeBack(kept) });
  return kept;
}

/** Remove a step that can no longer be undone. @param {Step | null} step */
export function forget(step) {
  done = done.filter((one) => one !== step);
  changed(STATE.undo);
}

/** Return the steps that Ctrl+Z would undo and Ctrl+Shift+Z would redo. */
export function next() {
  return { undo: done.findLast(isHere), redo: undone.findLast(isHere) };
}

export function undo() {
  const last = next().undo;
  return last ? takeBack(last) : announce("Nothing to undo.");
}

export function redo() {
  const last = next().redo;
  if (!last) return announce("Nothing to redo.");
  undone = undone.filter((one) => one !== last);
  done = [...done, last];
  changed(STATE.undo);
  toast(`Redone: ${last.words}.`);
  return last.forth && inTurn(last.forth);
}

/** @param {Kept} step */
function takeBack(step) {
  step.dismiss();
  done = done.filter((one) => one !== step);
  if (step.forth) undone = [...undone, step];
  changed(STATE.undo);
  toast(`Undone: ${step.words}.`, step.forth && { action: "Redo", hint: `Redo: ${step.words}`, onaction: redo });
  return inTurn(step.back);
}

/** Start an action after the earlier actions ended, so that quick keys act in their order. @param {() => unknown} action */
function inTurn(action) {
  const result = running ? running.then(action, action) : action();
  if (!(result instanceof Promise)) return result;
  const mine = result.finally(() => {
    if (running === mine) running = null;
  });
  running = mine;
  return mine;
}

/** @param {Kept} step */
function isHere(step) {
  return step.page === page() && (step.isHere?.() ?? true);
}
