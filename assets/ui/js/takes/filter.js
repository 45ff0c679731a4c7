/** Which takes show: those of the chosen folder that fit the search, and what was made meanwhile. */
import { changed } from "../core/bus.js";
import { STATE } from "../core/events.js";
import { state, titleOf } from "../core/state.js";
import { loadJson, saveJson } from "../core/storage.js";
import { fits } from "./fits.js";
import { voiceOf } from "./voice.js";

/** @import { TakeFilter } from "./fits.js" */

const KEY = "studio-takes-filter-1";
/** @type {TakeFilter} */
export const EVERYTHING = { search: "", folder: null };
/** @type {TakeFilter} */
export const filter = loadJson(KEY, { ...EVERYTHING });
/** Ids of takes that came since the filter changed: nobody is to look for what they just made. @type {Set<string>} */
const arrived = new Set();

/** @param {Partial<TakeFilter>} changes */
export function setFilter(changes) {
  Object.assign(filter, changes);
  arrived.clear();
  saveJson(KEY, filter);
  changed(STATE.filter);
}

/** This take shows until the filter changes. @param {string} id */
export function keepShown(id) {
  arrived.add(id);
}

export function shownTakes() {
  return state.takes.filter((take) => arrived.has(take.id) || fits(take, filter, spokenBy(take)));
}

/** @param {Take} take */
function spokenBy({ order, engine }) {
  return [voiceOf(order), titleOf(engine)].filter(Boolean).join(" ");
}
