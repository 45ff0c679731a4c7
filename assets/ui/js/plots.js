/** Plots of the last minutes, as SVG: areas that add up, lines, points. Time runs to the right edge, which is now. */
const SPACE = "http://www.w3.org/2000/svg";
const SPANS_S = [60, 120, 300, 600];
const [WIDTH, HEIGHT] = [600, 120];

function svg(tag, attributes) {
  const element = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/**
 * What a plot's width stands for: the shortest span that holds all points, so that a young studio's plots are not empty.
 * @typedef {{now_s: number, span_s: number}} Time
 */
export function timeOf(points, now_s) {
  const age_s = points.length ? now_s - points[0].at_s : 0;
  return { now_s, span_s: SPANS_S.find((span_s) => span_s >= age_s) ?? SPANS_S.at(-1) };
}

/** An empty plot; `label` says in words what it shows. */
export function plot(label) {
  const element = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": label,
    class: "plot",
  });
  return element;
}

const x = (at_s, { now_s, span_s }) => WIDTH * (1 - (now_s - at_s) / span_s);
const y = (value, most) => HEIGHT - 1 - (HEIGHT - 2) * Math.min(1, value / (most || 1));
const path = (points) =>
  points.map(([left, top], place) => `${place ? "L" : "M"}${left.toFixed(1)} ${top.toFixed(1)}`).join("");

function grid() {
  return [0.25, 0.5, 0.75].map((share) => svg("path", { d: `M0 ${HEIGHT * share}H${WIDTH}`, class: "grid" }));
}

/** Areas on top of each other. @param {{className: string, of: (point) => number}[]} layers, lowest first */
export function drawAreas(element, points, layers, most, time) {
  const shapes = [];
  let below = points.map(() => 0);
  for (const { className, of } of layers) {
    const above = points.map((point, place) => below[place] + of(point));
    const upper = points.map((point, place) => [x(point.at_s, time), y(above[place], most)]);
    const lower = points.map((point, place) => [x(point.at_s, time), y(below[place], most)]).reverse();
    if (upper.length > 1) shapes.push(svg("path", { d: `${path([...upper, ...lower])}Z`, class: `area ${className}` }));
    below = above;
  }
  element.replaceChildren(...grid(), ...shapes);
}

/** @param {{className: string, of: (point) => number, steps?: boolean}[]} lines */
export function drawLines(element, points, lines, most, time) {
  const shapes = lines.map(({ className, of, steps }) => {
    const corners = points.map((point) => [x(point.at_s, time), y(of(point), most)]);
    return svg("path", { d: path(steps ? stepped(corners) : corners), class: `line ${className}` });
  });
  element.replaceChildren(...grid(), ...(points.length > 1 ? shapes : []));
}

/** Across first, then up or down: counts do not glide. */
function stepped(corners) {
  return corners.flatMap(([left, top], place) => (place ? [[left, corners[place - 1][1]]] : []).concat([[left, top]]));
}

/** One mark per take, from first sound to the whole of it. */
export function drawTakes(element, timed, most, time) {
  const shapes = timed
    .filter((one) => time.now_s - one.at_s < time.span_s)
    .flatMap((one) => {
      const left = x(one.at_s, time);
      const whole = svg("path", { d: `M${left} ${y(one.ttfa_s, most)}V${y(one.latency_s, most)}`, class: "take-span" });
      const first = svg("path", { d: `M${left - 3} ${y(one.ttfa_s, most)}h6`, class: "take-first" });
      const last = svg("path", { d: `M${left - 3} ${y(one.latency_s, most)}h6`, class: "take-last" });
      return [whole, first, last];
    });
  element.replaceChildren(...grid(), ...shapes);
}

/** A round number at or above the largest value, so that the scale does not tremble. */
export function ceiling(values, least) {
  const most = Math.max(least, ...values);
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((step) => step * power).find((round) => round >= most * 0.999);
}
