/** Small plots as SVG: a dot with its interval on a scale, and the number of votes over time. */

const SPACE = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [600, 80]; // of the plot over time; the page stretches it

/** @typedef {{least: number, most: number, middle?: number}} Scale  `middle`: a line, such as chance */
/** @typedef {{value: number, low: number | null, high: number | null}} Measured */

/** @template {keyof SVGElementTagNameMap} Tag @param {Tag} tag @param {Record<string, string | number>} attributes */
function svg(tag, attributes) {
  const element = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

/** Return the place of a value on a scale, as a percentage from 0 to 100. @param {number} value @param {Scale} scale */
export function placeOn(value, { least, most }) {
  const share = (value - least) / (most - least);
  return Math.round(1000 * Math.min(1, Math.max(0, share))) / 10;
}

/**
 * Draw a value as a dot, and its interval as a line. The numbers are in the text beside it.
 * @param {Measured} measured @param {Scale} scale
 */
export function whisker({ value, low, high }, scale) {
  const element = svg("svg", { class: "whisker", "aria-hidden": "true" });
  const x = (/** @type {number} */ one) => `${placeOn(one, scale)}%`;
  const line = (/** @type {string} */ look, /** @type {string} */ from, /** @type {string} */ to) =>
    svg("line", { class: look, x1: from, x2: to, y1: "50%", y2: "50%" });
  const tick = (/** @type {string} */ look, /** @type {number} */ at, /** @type {number} */ half) =>
    svg("line", { class: look, x1: x(at), x2: x(at), y1: `${50 - half}%`, y2: `${50 + half}%` });
  element.append(line("rail", "0%", "100%"));
  if (scale.middle !== undefined) element.append(tick("middle", scale.middle, 50));
  if (low !== null && high !== null)
    element.append(line("interval", x(low), x(high)), tick("interval", low, 20), tick("interval", high, 20));
  element.append(svg("circle", { cx: x(value), cy: "50%", r: 5 }));
  return element;
}

/** Return the corners of the number of votes over time. @param {number[]} times  in order, in s */
export function steps(times) {
  const [first = 0] = times;
  const span = (times.at(-1) ?? 0) - first || 1;
  return times.map((time, at) => [(WIDTH * (time - first)) / span, HEIGHT * (1 - (at + 1) / times.length)]);
}

/** @param {number[]} times  of the votes, in order, in s @param {string} label */
export function votesPlot(times, label) {
  const element = svg("svg", {
    class: "votes-plot",
    viewBox: `0 -2 ${WIDTH} ${HEIGHT + 4}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": label,
  });
  const corners = steps(times).map(([x, y]) => `H${x.toFixed(1)}V${y.toFixed(1)}`);
  element.append(svg("path", { d: `M0 ${HEIGHT}${corners.join("")}` }));
  return element;
}
