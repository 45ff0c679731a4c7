/** The takes of one line: which stands for it, in which order they show, what their checks say. */
import { barHeights } from "../audio/peaks.js";

/** Who may look and who may be shown: blind listening hides what would tell takes apart but the ear. */

/**
 * The take that stands for a line: its select, else what the checks propose, else the latest. A new take stands before a
 * stale select.
 * @param {ScriptLine} line
 */
export function defaultTake({ takes, status }) {
  const proposed = takes.find((take) => take.proposed);
  if (status === "ready" && proposed) return proposed;
  return takes.find(({ mark }) => mark === "select") ?? proposed ?? takes.at(-1) ?? null;
}

/**
 * In the order they were made, or blind: in one that tells nothing and stays.
 * @param {ScriptLine} line @param {boolean} blind
 */
export function displayed({ takes }, blind) {
  if (!blind) return takes;
  return [...takes].sort((one, other) => scrambled(one.id) - scrambled(other.id));
}

/** @param {string} id */
function scrambled(id) {
  let value = 2166136261;
  for (const character of id) value = Math.imul(value ^ character.charCodeAt(0), 16777619);
  value ^= value >>> 15;
  return Math.imul(value, 2246822519) >>> 0;
}

/** What a digit means: a take's number, or blind its place. @param {ScriptLine} line @param {number} digit @param {boolean} blind */
export function takeAt(line, digit, blind) {
  if (blind) return displayed(line, true)[digit - 1] ?? null;
  return line.takes.find(({ number }) => number === digit) ?? null;
}

/** The digit that chooses a take. @param {ScriptLine} line @param {LineTake} take @param {boolean} blind */
export function digitOf(line, take, blind) {
  return blind ? displayed(line, true).indexOf(take) + 1 : take.number;
}

/** How many of a take's checks failed, doubt, or passed. @param {LineTake} take */
export function verdict({ checks }) {
  const count = (/** @type {string} */ outcome) => checks.filter((check) => check.outcome === outcome).length;
  return { failed: count("fail"), doubtful: count("doubt"), passed: count("ok") };
}

/** Whether checks of a take failed, or doubt without a failure; empty where neither. @param {LineTake} take */
export function concern(take) {
  const { failed, doubtful } = verdict(take);
  return failed ? "faulty" : doubtful ? "doubt" : "";
}

/** The first thing that a take's checks found. @param {LineTake} take */
export function finding({ checks }) {
  return (checks.find(({ outcome }) => outcome === "fail") ?? checks.find(({ outcome }) => outcome === "doubt"))
    ?.message;
}

/** @type {WeakMap<number[], string>} */
const drawn = new WeakMap();
export const BARS = 24;

/** A waveform as the path of an SVG, 3 units a bar and 24 high. @param {number[]} peaks */
export function barsOf(peaks) {
  let path = drawn.get(peaks);
  if (path === undefined) {
    path = barHeights(peaks, BARS)
      .map((height, place) => {
        const tall = Math.max(2, 22 * height ** 0.75);
        return `M${3 * place + 1.5} ${(12 - tall / 2).toFixed(1)}v${tall.toFixed(1)}`;
      })
      .join("");
    drawn.set(peaks, path);
  }
  return path;
}
