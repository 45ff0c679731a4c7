/** Where the selected part of a clip may begin and end. */
import { clamp } from "../core/math.js";

const LEAST_S = 0.5;

/**
 * Both ends, within the clip, kept apart and not too far.
 * @param {Part} part  as it is wanted
 * @param {{clip_s: number, longest_s: number, follows: "start" | "end"}} limits  `follows` is the end that gives way
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

/** To the millisecond; finer than anyone drags. @param {number} at_s */
function rounded(at_s) {
  return Math.round(at_s * 1000) / 1000;
}
