/** Limits of the selected part of a clip. */
import { clamp } from "../core/math.js";

const LEAST_S = 0.5;

/**
 * Keep both ends within the clip, and their distance within its limits.
 * @param {Part} part  the requested part
 * @param {{clip_s: number, longest_s: number, follows: "start" | "end"}} limits  `follows` is the end that moves along
 * @returns {Part}
 */
export function limited({ start_s, end_s }, { clip_s, longest_s, follows }) {
  let from = clamp(start_s, 0, clip_s);
  let to = clamp(end_s, 0, clip_s);
  if (follows === "end") {
    from = Math.min(from, clip_s - LEAST_S);
    to = clamp(to, from + LEAST_S, from + longest_s);
  } else {
    to = Math.max(to, LEAST_S);
    from = clamp(from, to - longest_s, to - LEAST_S);
  }
  return { start_s: Math.max(0, rounded(from)), end_s: Math.min(rounded(to), clip_s) };
}

/** Round to milliseconds. @param {number} at_s */
function rounded(at_s) {
  return Math.round(at_s * 1000) / 1000;
}
