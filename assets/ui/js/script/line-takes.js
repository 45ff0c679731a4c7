/** The takes of a line: the current take, their order, and the results of their checks. */
import { barHeights } from "../audio/peaks.js";

/**
 * Return the take that represents a line: the take whose mark is the line's status, else its select, else the proposed
 * take, else the latest one. A new take precedes a stale select.
 * @param {ScriptLine} line
 */
export function defaultTake({ takes, status }) {
  const proposed = takes.find((take) => take.proposed);
  if (status === "ready" && proposed) return proposed;
  const decides = takes.filter(({ mark, stale }) => mark && mark === status && !stale);
  const latest = decides.toSorted((one, other) => other.marked - one.marked)[0];
  return latest ?? takes.find(({ mark }) => mark === "select") ?? proposed ?? takes.at(-1) ?? null;
}

/**
 * Return the takes in order of creation; if `blind`, in a fixed order that looks random.
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

/**
 * Return the take for a digit key: the digit is the take's number, or its place if `blind`.
 * @param {ScriptLine} line @param {number} digit @param {boolean} blind
 */
export function takeAt(line, digit, blind) {
  if (blind) return displayed(line, true)[digit - 1] ?? null;
  return line.takes.find(({ number }) => number === digit) ?? null;
}

/** Return the digit key of a take. @param {ScriptLine} line @param {LineTake} take @param {boolean} blind */
export function digitOf(line, take, blind) {
  return blind ? displayed(line, true).indexOf(take) + 1 : take.number;
}

/** Count the failed, doubtful and passed checks of a take. @param {LineTake} take */
export function verdict({ checks }) {
  const count = (/** @type {string} */ outcome) => checks.filter((check) => check.outcome === outcome).length;
  return { failed: count("fail"), doubtful: count("doubt"), passed: count("ok") };
}

/** Return "faulty" if a check failed, "doubt" if a check is doubtful, else an empty string. @param {LineTake} take */
export function concern(take) {
  const { failed, doubtful } = verdict(take);
  return failed ? "faulty" : doubtful ? "doubt" : "";
}

/** Return the message of the most serious check. @param {LineTake} take */
export function finding({ checks }) {
  return (checks.find(({ outcome }) => outcome === "fail") ?? checks.find(({ outcome }) => outcome === "doubt"))
    ?.message;
}

/** @type {WeakMap<number[], string>} */
const drawn = new WeakMap();
export const BARS = 24;

/** Return a waveform as an SVG path: 3 units per bar, 24 units high. @param {number[]} peaks */
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
