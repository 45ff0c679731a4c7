/** The Monitor page: device, memory, load, cost of takes, the queue, and the engines. */
import { follow } from "../core/bus.js";
import { h } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { bytes, fine, percent, plural, seconds } from "../core/format.js";
import { page } from "../core/pages.js";
import { state } from "../core/state.js";
import { refreshTelemetry } from "../core/telemetry.js";
import { engineTable } from "./engines.js";
import { memoryParts } from "./memory-parts.js";
import { drawAreas, drawLines, drawTakes, plot } from "./plots.js";
import { Readout } from "./readout.js";
import { requestList } from "./requests.js";
import { ceiling, timeOf } from "./scale.js";
import { statisticsTable } from "./statistics.js";

/** @typedef {Telemetry & {time: import("./scale.js").Time}} Reading */
/** @typedef {{figures: HTMLElement, drawing: SVGElement, scale: HTMLElement, legend: HTMLElement, readout: Readout}} CardParts */
/** @typedef {{name: string, title: string, className: string, of: (point: TelemetryPoint) => number}} Layer */

const RESTING_S = 5; // time between two drawings while nothing runs; in this time, a plot moves by few pixels
const LAYERS = ["first", "second", "third"]; // CSS classes of the engines; unassigned memory is "other"
const STUDIO = "Share of all cores that the studio and its speech recogniser use";
const SCHEDULER = "Share of time in which the engines are working";

/** @param {HTMLElement} element */
export function mount(element) {
  const cards = [memoryCard(), useCard(), costCard(), queueCard()];
  const engines = engineTable();
  const machine = h("p.machine");
  /** @type {Telemetry | null} */
  let drawn = null;
  element.append(
    h(
      "div.monitor",
      {},
      h("div.monitor-head", {}, h("h2.page-title", {}, "Monitor"), machine),
      h("div.cards", {}, ...cards.map((card) => card.element)),
      statisticsTable(),
      engines.element,
    ),
  );
  follow(STATE.page, () => page() === "monitor" && refreshTelemetry());
  follow(STATE.telemetry, () => {
    // the status has no points: it was loaded for another page, or the studio just started
    if (!state.telemetry?.points.length || page() !== "monitor") return;
    write(machine, aboutMachine(state.telemetry));
    engines.draw(state.telemetry);
    if (!isDue(state.telemetry, drawn)) return;
    drawn = state.telemetry;
    for (const card of cards) card.draw(drawn);
  });
}

/**
 * Return true if the plots must be drawn: something runs or waits, has just ended, or the drawing is old.
 * @param {Telemetry} telemetry @param {Telemetry | null} drawn
 */
function isDue(telemetry, drawn) {
  if (!drawn || telemetry.at_s < drawn.at_s || telemetry.at_s - drawn.at_s >= RESTING_S) return true;
  return busy(telemetry) || busy(drawn) || JSON.stringify(telemetry.outcomes) !== JSON.stringify(drawn.outcomes);
}

/** @param {Telemetry} telemetry */
function busy({ running, waiting, engines }) {
  return running.length + waiting.length > 0 || engines.some(({ state }) => state === "loading" || state === "warming");
}

/** Replace a text only if it changed, because each change costs a layout. @param {Element} element @param {string} text */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @param {Telemetry} telemetry */
function aboutMachine({ device, memory, now, power_limit_w, engines }) {
  if (memory !== "VRAM") {
    const gpu = engines.some(({ info }) => info && info.device !== "cpu");
    return `${device}. ${gpu ? "The memory of this GPU cannot be read." : "There is no GPU: the engines run on the CPU."}`;
  }
  const limit = power_limit_w === null ? "" : ` of ${Math.round(power_limit_w)} W`;
  return [
    device,
    now.temperature_c !== null && `${Math.round(now.temperature_c)} °C`,
    now.power_w !== null && `${Math.round(now.power_w)} W${limit}`,
  ]
    .filter(Boolean)
    .join(" · ");
}

/**
 * Return a card with a title, figures, a plot, a legend and further content.
 * @param {string} title @param {string} label @param {(reading: Reading, parts: CardParts) => void} draw
 * @param {Node[]} further
 */
function card(title, label, draw, ...further) {
  const figures = h("p.figures");
  const drawing = plot(label);
  const scale = h("span.scale");
  const legend = h("ul.legend");
  const since = h("span");
  const holder = h("div.plot-holder", {}, drawing, scale);
  const readout = new Readout(holder, `${label}, last minutes`);
  const element = h(
    "section.card",
    { "aria-label": title },
    h("div.card-head", {}, h("h3", {}, title), figures),
    holder,
    h("div.axis", { "aria-hidden": "true" }, since, h("span", {}, "now")),
    legend,
    ...further,
  );
  const redraw = (/** @type {Telemetry} */ telemetry) => {
    const time = timeOf(telemetry.points, telemetry.at_s);
    write(since, `${time.span_s / 60} min ago`);
    draw({ ...telemetry, time }, { figures, drawing, scale, legend, readout });
  };
  return { element, draw: redraw };
}

/** Show figures. Create the elements again only if a text has changed. @param {Element} holder @param {[value: string, label: string, title?: string][]} figures */
function showFigures(holder, figures) {
  const key = JSON.stringify(figures);
  if (holder.getAttribute("data-shown") === key) return;
  holder.setAttribute("data-shown", key);
  holder.replaceChildren(
    ...figures.map(([value, label, title]) => h("span.figure", title ? { title } : {}, h("b", {}, value), ` ${label}`)),
  );
}

/** Show a legend: a colour and words, or words alone. @param {Element} holder @param {[className: string, words: string, title?: string][]} keys */
function showLegend(holder, keys) {
  const key = JSON.stringify(keys);
  if (holder.getAttribute("data-shown") === key) return;
  holder.setAttribute("data-shown", key);
  holder.replaceChildren(
    ...keys.map(([className, words, title]) =>
      h("li", title ? { title } : {}, className ? h(`i.swatch.${className}`) : null, words),
    ),
  );
}

function memoryCard() {
  const parts = memoryParts();
  const draw = (
    /** @type {Reading} */ reading,
    /** @type {CardParts} */ { figures, drawing, scale, legend, readout },
  ) => {
    const { points, now, total_bytes, memory, time } = reading;
    const layers = layersOf(reading);
    const most = ceiling(
      points.map((point) => point.used_bytes),
      1e8,
    );
    const share = total_bytes ? ` (${percent(now.used_bytes / total_bytes)})` : "";
    showFigures(figures, [[bytes(now.used_bytes), `of ${bytes(total_bytes)} ${memory}${share}`]]);
    drawAreas(drawing, points, layers, most, time);
    write(scale, bytes(most));
    showLegend(
      legend,
      layers.map(({ title, className, of }) => [className, `${title} ${bytes(of(now))}`]),
    );
    parts.update(reading.engines);
    readout.update(points, time, (place) => [
      ...layers.map(({ title, of }) => /** @type {[string, string]} */ ([title, bytes(of(points[place]))])),
      ["total", bytes(points[place].used_bytes)],
    ]);
  };
  return card("Memory", "Memory use by part", draw, parts.element);
}

/** Return the areas of the plot: the memory of each engine, and all other memory on top. @param {Reading} reading @returns {Layer[]} */
function layersOf({ points, engines, memory }) {
  const known = new Set(points.flatMap((point) => Object.keys(point.parts_bytes)));
  const named = engines.filter(({ name }) => known.has(name));
  const other = memory === "VRAM" ? "CUDA and other programs" : "Python and libraries";
  return [
    ...named.map(({ name, title }, place) => ({ name, title, className: LAYERS[place % LAYERS.length] })),
    { name: "other", title: other, className: "other" },
  ].map((layer) => ({ ...layer, of: (/** @type {TelemetryPoint} */ point) => point.parts_bytes[layer.name] ?? 0 }));
}

function useCard() {
  return card("Load", "Device and scheduler load", (reading, { figures, drawing, scale, legend, readout }) => {
    const { points, now, time } = reading;
    const onGpu = now.machine === null;
    const of = onGpu ? "GPU" : "CPU, all programs";
    const load = (/** @type {TelemetryPoint} */ { machine, utilisation }) => machine ?? utilisation;
    showFigures(figures, [
      [percent(load(now)), of],
      ...(onGpu ? [] : [/** @type {[string, string, string]} */ ([percent(now.utilisation), "CPU, studio", STUDIO])]),
      [percent(now.scheduler_busy), "scheduler", SCHEDULER],
    ]);
    const lines = [
      { className: "second", of: (/** @type {TelemetryPoint} */ point) => point.scheduler_busy },
      { className: "first", of: load },
    ];
    drawLines(drawing, points, lines, 1, time);
    write(scale, "100 %");
    showLegend(legend, [
      ["first", of],
      ["second", "scheduler", SCHEDULER],
    ]);
    readout.update(points, time, (place) => loadAt(points[place], of));
  });
}

/** @param {TelemetryPoint} point @param {string} device @returns {[string, string][]} */
function loadAt({ machine, utilisation, scheduler_busy, temperature_c, power_w }, device) {
  /** @type {[string, string][]} */
  const values = [
    [device, percent(machine ?? utilisation)],
    ["scheduler", percent(scheduler_busy)],
  ];
  if (machine !== null) values.splice(1, 0, ["CPU, studio", percent(utilisation)]);
  if (temperature_c !== null) values.push(["GPU temperature", `${Math.round(temperature_c)} °C`]);
  if (power_w !== null) values.push(["GPU power", `${Math.round(power_w)} W`]);
  return values;
}

function costCard() {
  const label = "Time to first audio and to complete take";
  return card("Speed", label, (reading, { figures, drawing, scale, legend, readout }) => {
    const { timed, latency_s, ttfa_s, rtf, requests, time } = reading;
    const shown = timed.filter((one) => time.now_s - one.at_s < time.span_s);
    const most = ceiling(
      shown.map((one) => one.latency_s),
      1,
    );
    const rtfTitle =
      "Median real-time factor: computing time divided by audio length. Below 1 is faster than real time.";
    showFigures(figures, [
      [fine(ttfa_s.p50), "first audio", "Median of the takes of the last 15 minutes"],
      [fine(latency_s.p50), "complete take", "Median of the takes of the last 15 minutes"],
      [rtf.p50 === null ? "–" : rtf.p50.toFixed(2), "RTF", rtfTitle],
    ]);
    drawTakes(drawing, shown, most, time);
    write(scale, seconds(most));
    const based = requests
      ? `Medians of ${plural(requests, "take")} of the last 15 minutes`
      : "No takes in the last 15 minutes";
    showLegend(legend, [
      ["first", "complete take"],
      ["second", "first audio"],
      ["", based],
    ]);
    readout.update(shown, time, (place) => takeAt(shown[place]));
  });
}

/** @param {TimedTake} take @returns {[string, string][]} */
function takeAt({ engine, latency_s, ttfa_s, queued_s, rtf }) {
  return [
    ["take of", state.titles[engine] ?? engine],
    ["complete", fine(latency_s)],
    ["first audio", fine(ttfa_s)],
    ["waited", fine(queued_s)],
    ["RTF", rtf.toFixed(2)],
  ];
}

function queueCard() {
  const requests = requestList();
  const draw = (
    /** @type {Reading} */ reading,
    /** @type {CardParts} */ { figures, drawing, scale, legend, readout },
  ) => {
    const { points, running, waiting, outcomes, time } = reading;
    const most = ceiling(
      points.map((point) => Math.max(point.queued, point.running)),
      5,
    );
    showFigures(figures, [
      [String(running.length), "running"],
      [String(waiting.length), "waiting"],
    ]);
    const lines = [
      { className: "second", of: (/** @type {TelemetryPoint} */ point) => point.queued, jumps: true },
      { className: "first", of: (/** @type {TelemetryPoint} */ point) => point.running, jumps: true },
    ];
    drawLines(drawing, points, lines, most, time);
    write(scale, String(most));
    const counted = ["done", "failed", "cancelled", "refused"].map((name) => `${outcomes[name] ?? 0} ${name}`);
    showLegend(legend, [
      ["first", "running"],
      ["second", "waiting"],
      ["", `Since the start: ${counted.join(" · ")}`],
    ]);
    requests.update([...running, ...waiting]);
    readout.update(points, time, (place) => [
      ["running", String(points[place].running)],
      ["waiting", String(points[place].queued)],
    ]);
  };
  return card("Queue", "Running and waiting requests", draw, requests.element);
}
