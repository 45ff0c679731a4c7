/** Scales of the plots. */

/** @typedef {{now_s: number, span_s: number}} Time  end and length of the time axis */
/** @typedef {[left: number, top: number]} Corner */

const SPANS_S = [60, 120, 300, 600];

/**
 * Return the shortest of the time spans that contains all points, so that a few minutes of data fill the plots.
 * @param {{at_s: number}[]} points @param {number} now_s @returns {Time}
 */
export function timeOf(points, now_s) {
  const age_s = points.length ? now_s - points[0].at_s : 0;
  return { now_s, span_s: SPANS_S.find((span_s) => span_s >= age_s) ?? SPANS_S[SPANS_S.length - 1] };
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
