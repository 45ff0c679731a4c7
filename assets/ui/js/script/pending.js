/** Changes that the studio has not taken yet; they outlive a reload. */
import { loadJson, saveJson } from "../core/storage.js";

/** @typedef {{project: string, sheet: string, change: SheetChange}} Pending */

const KEY = "studio-script-unsaved";
/** Oldest first. @type {Pending[]} */
let pending = loadJson(KEY, []);

export function allPending() {
  return pending;
}

/** Changes of a sheet, oldest first. @param {string} sheet */
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
