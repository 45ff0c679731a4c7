/** The running operations on a clip, as words for the user. */
import { changed } from "../core/bus.js";
import { STATE } from "../core/events.js";

export const TRANSCRIBING = "Transcribing";

/** @type {Set<{words: string}>} */
const activities = new Set();

/** Return the words for the latest operation; empty if none is running. */
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
