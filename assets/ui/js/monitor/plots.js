/** Plots of the last minutes as SVG: stacked areas, lines and points. The right edge is now. */
import { runsOf, stacked, stepped } from "./scale.js";

/** @import { Corner, Time } from "./scale.js" */
/** @typedef {{className: string, of: (point: TelemetryPoint) => number, jumps?: boolean}} Series */

const SPACE = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [600, 120];

/** @template {keyof SVGElementTagNameMap} Tag @param {Tag} tag @param {Record<string, string>} attributes */
function svg(tag, attributes) {
  const element = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** Return an empty plot. @param {string} label  describes the plot for screen readers */
export function plot(label) {
  return svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": label,
    class: "plot",
  });
}

/** @param {number} at_s @param {Time} time */
const x = (at_s, { now_s, span_s }) => WIDTH * (1 - (now_s - at_s) / span_s);
/** @param {number} value @param {number} most */
const y = (value, most) => HEIGHT - 1 - (HEIGHT - 2) * Math.min(1, value / (most || 1));
/** @param {Corner[]} corners */
const path = (corners) =>
  corners.map(([left, top], place) => `${place ? "L" : "M"}${left.toFixed(1)} ${top.toFixed(1)}`).join("");

function grid() {
  return [0.25, 0.5, 0.75].map((share) => svg("path", { d: `M0 ${HEIGHT * share}H${WIDTH}`, class: "grid" }));
}

/**
 * Draw stacked areas, with gaps where the studio was stopped.
 * @param {SVGElement} element @param {TelemetryPoint[]} points @param {Series[]} layers  bottom layer first
 * @param {number} most @param {Time} time
 */
export function drawAreas(element, points, layers, most, time) {
  const shapes = runsOf(points).flatMap((run) => {
    const edge = (/** @type {number[]} */ heights) =>
      heights.map((height, place) => /** @type {Corner} */ ([x(run[place].at_s, time), y(height, most)]));
    return stacked(layers.map(({ of }) => run.map(of))).map(({ lower, upper }, place) => {
      const d = `${path([...edge(upper), ...edge(lower).reverse()])}Z`;
      return svg("path", { d, class: `area ${layers[place].className}` });
    });
  });
  element.replaceChildren(...grid(), ...(points.length > 1 ? shapes : []));
}

/**
 * Draw lines, with gaps where the studio was stopped.
 * @param {SVGElement} element @param {TelemetryPoint[]} points @param {Series[]} lines @param {number} most
 * @param {Time} time
 */
export function drawLines(element, points, lines, most, time) {
  const shapes = lines.map(({ className, of, jumps }) => {
    const d = runsOf(points).map((run) => {
      const corners = run.map((point) => /** @type {Corner} */ ([x(point.at_s, time), y(of(point), most)]));
      return path(jumps ? stepped(corners) : corners);
    });
    return svg("path", { d: d.join(""), class: `line ${className}` });
  });
  element.replaceChildren(...grid(), ...(points.length > 1 ? shapes : []));
}

/**
 * Draw a mark for each take, from the time to first audio to the time to the complete take.
 * @param {SVGElement} element @param {TimedTake[]} timed @param {number} most @param {Time} time
 */
export function drawTakes(element, timed, most, time) {
  const marks = timed
    .filter(({ at_s }) => time.now_s - at_s < time.span_s)
    .map((one) => ({ left: x(one.at_s, time), first: y(one.ttfa_s, most), last: y(one.latency_s, most) }));
  // One element for all marks of a kind, because hundreds of elements would slow the page.
  const shapes = [
    svg("path", { d: marks.map(({ left, first, last }) => `M${left} ${first}V${last}`).join(""), class: "take-span" }),
    svg("path", { d: marks.map(({ left, first }) => `M${left - 3} ${first}h6`).join(""), class: "take-first" }),
    svg("path", { d: marks.map(({ left, last }) => `M${left - 3} ${last}h6`).join(""), class: "take-last" }),
  ];
  element.replaceChildren(...grid(), ...(marks.length ? shapes : []));
}
