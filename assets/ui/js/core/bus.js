/**
 * Lets modules publish the states and events of events.js. A state has a current value: its owner announces changes,
 * and a follower is called at once and after every change. An event happens once.
 */
import { EVENT, STATE } from "./events.js";

/** @import { EventName, Payloads, StateName } from "./events.js" */

const STATES = new Set(/** @type {string[]} */ (Object.values(STATE)));
const EVENTS = new Set(/** @type {string[]} */ (Object.values(EVENT)));
const target = new EventTarget(); // an EventTarget calls all listeners even if one throws

/**
 * Call `look` now and after every change of the states.
 * @param {StateName | StateName[]} names @param {() => unknown} look
 */
export function follow(names, look) {
  for (const name of [names].flat()) target.addEventListener(known(STATES, name), () => look());
  look();
}

/** Announce a change of a state. Only the owner of the state calls this. @param {StateName} name */
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
