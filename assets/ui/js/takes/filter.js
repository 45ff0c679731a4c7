/**
 * The filter of the takes: the takes of the chosen folder that match the search, and takes that were just generated.
 */
import { changed } from "../core/bus.js";
import { STATE } from "../core/events.js";
import { state, titleOf } from "../core/state.js";
import { loadJson, saveJson } from "../core/storage.js";
import { fits } from "./fits.js";
import { voicesOf } from "./voice.js";

/** @import { TakeFilter } from "./fits.js" */

const KEY = "studio-takes-filter-1";
/** @type {TakeFilter} */
export const EVERYTHING = { search: "", folder: null };
/** @type {TakeFilter} */
export const filter = loadJson(KEY, { ...EVERYTHING });
/**
 * Ids of takes that were added since the filter changed. They are always shown, so that the user finds a new take.
 * @type {Set<string>}
 */
const arrived = new Set();

/** @param {Partial<TakeFilter>} changes */
export function setFilter(changes) {
  Object.assign(filter, changes);
  arrived.clear();
  saveJson(KEY, filter);
  changed(STATE.filter);
}

/** Show this take until the filter changes. @param {string} id */
export function keepShown(id) {
  arrived.add(id);
}

export function shownTakes() {
  return state.takes.filter((take) => arrived.has(take.id) || fits(take, filter, spokenBy(take)));
}

/** @param {Take} take */
function spokenBy(take) {
  return [voicesOf(take), titleOf(take.engine)].filter(Boolean).join(" ");
}
