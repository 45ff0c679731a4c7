/** Scales of the plots. */

/**
 * The end and the length of the time axis, and the time of the page's clock at which the end was now.
 * @typedef {{now_s: number, span_s: number, read_ms: number}} Time
 */
/** @typedef {[left: number, top: number]} Corner */

const SPANS_S = [60, 120, 300, 600];
const GAP_S = 5; // the studio takes a sample each second, under load a few seconds later

/**
 * Return the shortest of the time spans that contains all points, so that a few minutes of data fill the plots.
 * @param {{at_s: number}[]} points @param {number} now_s @param {number} read_ms @returns {Time}
 */
export function timeOf(points, now_s, read_ms) {
  const age_s = points.length ? now_s - points[0].at_s : 0;
  return { now_s, span_s: SPANS_S.find((span_s) => span_s >= age_s) ?? SPANS_S[SPANS_S.length - 1], read_ms };
}

/**
 * Split points at gaps, in which the studio was stopped.
 * @template {{at_s: number}} Point @param {Point[]} points @returns {Point[][]}
 */
export function runsOf(points) {
  /** @type {Point[][]} */
  const runs = [];
  points.forEach((point, place) => {
    if (!place || point.at_s - points[place - 1].at_s > GAP_S) runs.push([]);
    runs[runs.length - 1].push(point);
  });
  return runs;
}

/**
 * Return the points at which the CPU load is known. The first value after a start is always 0.
 * @template {{at_s: number, machine: number | null}} Point @param {Point[]} points
 */
export function withLoad(points) {
  return runsOf(points).flatMap((run) => (run[0].machine === 0 ? run.slice(1) : run));
}

/**
 * Return a round number at or above the largest value, so that the scale changes rarely.
 * @param {number[]} values @param {number} least
 */
export function ceiling(values, least) {
  const most = Math.max(least, ...values);
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5].map((step) => step * power).find((round) => round >= most * 0.999) ?? 10 * power;
}

/** Turn a line into steps, because counts change at once. @param {Corner[]} corners @returns {Corner[]} */
export function stepped(corners) {
  return corners.flatMap(([left, top], place) => [
    ...(place ? [/** @type {Corner} */ ([left, corners[place - 1][1]])] : []),
    [left, top],
  ]);
}

/**
 * Return the lower and upper edges of stacked layers.
 * @param {number[][]} layers  bottom layer first
 */
export function stacked(layers) {
  let below = (layers[0] ?? []).map(() => 0);
  return layers.map((heights) => {
    const edges = { lower: below, upper: heights.map((height, place) => below[place] + height) };
    below = edges.upper;
    return edges;
  });
}

/** Return the index of the nearest time; null if there are no times. @param {number[]} times @param {number} at_s */
export function nearest(times, at_s) {
  if (!times.length) return null;
  return times.reduce((best, one, place) => (Math.abs(one - at_s) < Math.abs(times[best] - at_s) ? place : best), 0);
}
