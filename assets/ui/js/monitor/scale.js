/** What the sides of a plot stand for. */

/** @typedef {{now_s: number, span_s: number}} Time  of a plot's width */
/** @typedef {[left: number, top: number]} Corner */

const SPANS_S = [60, 120, 300, 600];

/**
 * The shortest span that holds all points, so that a young studio's plots are not empty.
 * @param {{at_s: number}[]} points @param {number} now_s @returns {Time}
 */
export function timeOf(points, now_s) {
  const age_s = points.length ? now_s - points[0].at_s : 0;
  return { now_s, span_s: SPANS_S.find((span_s) => span_s >= age_s) ?? SPANS_S[SPANS_S.length - 1] };
}

/**
 * A round number at or above the largest value, so that the scale does not tremble.
 * @param {number[]} values @param {number} least
 */
export function ceiling(values, least) {
  const most = Math.max(least, ...values);
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5].map((step) => step * power).find((round) => round >= most * 0.999) ?? 10 * power;
}

/** Across first, then up or down: counts do not glide. @param {Corner[]} corners @returns {Corner[]} */
export function stepped(corners) {
  return corners.flatMap(([left, top], place) => [
    ...(place ? [/** @type {Corner} */ ([left, corners[place - 1][1]])] : []),
    [left, top],
  ]);
}

/**
 * The heights of layers on top of each other: of each its lower and its upper edge.
 * @param {number[][]} layers  lowest first
 */
export function stacked(layers) {
  let below = (layers[0] ?? []).map(() => 0);
  return layers.map((heights) => {
    const edges = { lower: below, upper: heights.map((height, place) => below[place] + height) };
    below = edges.upper;
    return edges;
  });
}
