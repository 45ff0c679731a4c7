/**
 * "Generate until complete": generates takes with new seeds until one take has all words, and keeps the best take.
 */
import * as player from "../audio/player.js";
import { changed } from "../core/bus.js";
import { STATE } from "../core/events.js";
import { attempt } from "../core/login.js";
import { post } from "../core/server.js";
import { select, state } from "../core/state.js";
import { sleep } from "../core/timing.js";
import { toast } from "../core/toast.js";
import { speak, stop } from "../speak/synthesis.js";
import { lostCount, lostWords } from "./heard.js";
import { discard, EACH_MS, loadTakes, refreshTakes } from "./takes.js";

/** @typedef {{take: Take, words: string, stopped: boolean}} Search */

const MOST = 4; // maximum number of additional takes
export const SEARCH_HINT = `Makes up to ${MOST} more takes, until no word is missing, misheard or added, and keeps the best take.`;
const LOOK_MS = 300;
const CHECK_MAX_MS = 120_000;

/** @type {Search | null} */
let current = null;

/** Return the running search, if any. */
export function search() {
  return current;
}

/** Generate no further take. The takes so far are compared, and the best one is kept. */
export function stopSearch() {
  if (!current) return;
  current.stopped = true;
  show("Stopping");
  stop();
}

/** @param {Take} take  the take whose line is generated again */
export async function untilComplete(take) {
  if (current || state.synthesis) return;
  player.stop();
  const mine = { take, words: "", stopped: false };
  current = mine;
  /** @type {Take[]} */
  const made = [];
  try {
    for (let count = 1; count <= MOST && !mine.stopped && exists(take); count++) {
      show(`Generating take ${count} of at most ${MOST}`);
      const next = await speak({ ...take.order, seed: null }, { aloud: false });
      if (!next) break; // stopped or failed
      show(`Checking take ${count} of at most ${MOST}`);
      const checked = await attempt(() => waitForCheck(next, mine));
      if (!checked) break; // the error was shown
      made.push(checked);
      if (lostCount(checked.heard) === 0) break;
    }
  } finally {
    current = null;
    changed(STATE.takes);
  }
  const left = made.filter(exists);
  if (left.length) await keepBest(take, left);
}

/** Return true if the take is still in the list. @param {Take} take */
function exists({ id }) {
  return state.takes.some((one) => one.id === id);
}

/** @param {string} words */
function show(words) {
  if (!current) return;
  current.words = `${words}…`;
  changed(STATE.takes);
}

/**
 * Wait until a take is checked, and return the take. Return the take unchecked after CHECK_MAX_MS, or if the user
 * stops the search or deletes the take. Throws Refusal.
 * @param {Take} take @param {Search} mine @returns {Promise<Take>}
 */
async function waitForCheck(take, mine) {
  let now = take;
  const end = performance.now() + CHECK_MAX_MS;
  while (!now.heard && !mine.stopped && performance.now() < end) {
    await refreshTakes(); // the list, because a request for one take fails after its deletion
    const listed = state.takes.find(({ id }) => id === take.id);
    if (!listed) break;
    now = listed;
    const isStale = Boolean(state.synthesis); // the list is not refreshed while the user generates
    if (!now.heard && !now.hearing && !isStale) now = await post(`/studio/takes/${take.id}/hear`, {});
    if (!now.heard) await sleep(LOOK_MS + EACH_MS * state.takes.length);
  }
  return now;
}

/**
 * Keep the best of the new takes if it is better than the first one. The others are deleted; this can be undone.
 * @param {Take} first @param {Take[]} made
 */
async function keepBest(first, made) {
  const [best] = [first, ...made].filter(exists).toSorted((one, other) => rank(one) - rank(other)); // the earlier of two equal takes
  const others = made.filter(({ id }) => id !== best.id).map(({ id }) => id);
  await attempt(loadTakes);
  const words = outcome(first, best);
  if (others.length) await discard(others, words);
  else toast(words);
  select(best.id);
}

/** @param {Take} first @param {Take} best */
function outcome(first, best) {
  if (lostCount(best.heard) === 0) return "All words are heard in the new take.";
  if (best.id === first.id) return "No new take is better. The original take is kept.";
  return `The best take still has missing or wrong words. ${lostWords(best.heard)}.`;
}

/** Return a rank; lower is better. Lost words count most, then faults of the audio. @param {Take} take */
function rank({ heard }) {
  const faults = (heard?.faults ?? []).map(({ severity }) => (severity === "fail" ? 0.1 : 0.01));
  return lostCount(heard) + faults.reduce((sum, one) => sum + one, 0);
}
