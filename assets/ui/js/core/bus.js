/**
 * How modules tell each other what events.js lists. A state is so until it changes: its owner keeps it and says here
 * that it changed, and whoever follows it looks at once and at every change, so that nobody comes too late. An event
 * happens once.
 */
import { EVENT, STATE } from "./events.js";

/** @import { EventName, Payloads, StateName } from "./events.js" */

const STATES = new Set(/** @type {string[]} */ (Object.values(STATE)));
const EVENTS = new Set(/** @type {string[]} */ (Object.values(EVENT)));
const target = new EventTarget(); // where one listener fails, the others still hear

/** Look now and at every change. @param {StateName | StateName[]} names @param {() => unknown} look */
export function follow(names, look) {
  for (const name of [names].flat()) target.addEventListener(known(STATES, name), () => look());
  look();
}

/** For a state's owner. @param {StateName} name */
export function changed(name) {
  target.dispatchEvent(new CustomEvent(known(STATES, name)));
}

/** @template {EventName} Name @param {Name} name @param {(detail: Payloads[Name]) => unknown} listener */
export function on(name, listener) {
  target.addEventListener(known(EVENTS, name), (event) => listener(/** @type {CustomEvent} */ (event).detail));
}

/** @template {EventName} Name @param {Name} name @param {Payloads[Name]} detail */
export function emit(name, detail) {
  target.dispatchEvent(new CustomEvent(known(EVENTS, name), { detail }));
}

/** @param {Set<string>} names @param {string} name */
function known(names, name) {
  if (!names.has(name)) throw new Error(`nobody tells "${name}" this way; see events.js`);
  return name;
}
