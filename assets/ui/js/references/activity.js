/** What is being done to a clip, in words, for as long as it is done. */
import { changed } from "../core/bus.js";
import { STATE } from "../core/events.js";

/** @type {Set<{words: string}>} */
const activities = new Set();

/** The words for what was begun last; empty while nothing is done. */
export function activity() {
  return [...activities].at(-1)?.words ?? "";
}

/** @template T @param {string} words @param {() => Promise<T>} act */
export async function during(words, act) {
  const mine = { words };
  activities.add(mine);
  changed(STATE.activity);
  try {
    return await act();
  } finally {
    activities.delete(mine);
    changed(STATE.activity);
  }
}
