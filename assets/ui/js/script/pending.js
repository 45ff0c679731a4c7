/** Changes that the studio has not saved yet. The browser keeps them across a reload. */
import { loadJson, saveJson } from "../core/storage.js";

/** @typedef {{project: string, sheet: string, change: SheetChange}} Pending */

const KEY = "studio-script-unsaved";
/** Unsaved changes, oldest first. @type {Pending[]} */
let pending = loadJson(KEY, []);

export function allPending() {
  return pending;
}

/** Return the unsaved changes of a sheet, oldest first. @param {string} sheet */
export function pendingOf(sheet) {
  return pending.filter((one) => one.sheet === sheet).map(({ change }) => change);
}

/** @param {Pending} one */
export function addPending(one) {
  pending = [...pending, one];
  saveJson(KEY, pending);
}

/** @param {Pending} one */
export function dropPending(one) {
  pending = pending.filter((other) => other !== one);
  saveJson(KEY, pending);
}
