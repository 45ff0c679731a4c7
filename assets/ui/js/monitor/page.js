/** The Monitor page: device, memory, load, cost of takes, the queue, and the engines. */
import { follow } from "../core/bus.js";
import { h, setText } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { bytes, fine, percent, plural, seconds } from "../core/format.js";
import { median } from "../core/math.js";
import { page } from "../core/pages.js";
import { state } from "../core/state.js";
import { refreshTelemetry } from "../core/telemetry.js";
import { card, showFigures, showLegend } from "./card.js";
import { engineTable } from "./engines.js";
import { memoryParts } from "./memory-parts.js";
import { drawAreas, drawLines, drawTakes } from "./plots.js";
import { wallClock } from "./readout.js";
import { requestList } from "./requests.js";
import { ceiling, withLoad } from "./scale.js";
import { statisticsTable } from "./statistics.js";

/** @import { CardParts, Reading } from "./card.js" */
/** @typedef {{name: string, title: string, className: string, of: (point: TelemetryPoint) => number}} Layer */

const RESTING_S = 5; // time between two drawings while nothing runs; in this time, a plot moves by few pixels
const BUSY_S = 2.5; // shortest time between two drawings, which take CPU time from the engines
const LAYERS = ["first", "second", "third"]; // CSS classes of the engines; unassigned memory is "other"
const STUDIO = "Share of all cores that the studio and its speech recogniser use";
const BUSY = "Share of time in which the engines are working";

/** @param {HTMLElement} element */
export function mount(element) {
  const cards = [memoryCard(), useCard(), costCard(), queueCard()];
  const engines = engineTable();
  const machine = h("p.machine");
  const staleness = h("p.staleness", { role: "status" });
  const monitor = h(
    "div.monitor",
    {},
    h("div.monitor-head", {}, h("h2.page-title", {}, "Monitor"), machine, staleness),
    h("div.cards", {}, ...cards.map((card) => card.element)),
    statisticsTable(),
    engines.element,
  );
  element.append(monitor);
  const drawCards = plotCards(cards);
  let read_ms = 0; // time of the page's clock at which the shown status was received; 0 if there is none
  follow(STATE.page, () => page() === "monitor" && refreshTelemetry());
  follow(STATE.telemetry, () => {
    const { lost, telemetry } = state;
    // the status has no points: it was loaded for another page, or the studio just started
    if (!lost && (!telemetry?.points.length || page() !== "monitor")) return;
    if (telemetry) {
      read_ms = Date.now();
      setText(machine, aboutMachine(telemetry));
      engines.draw(telemetry);
    }
    monitor.classList.toggle("stale", lost);
    setText(staleness, lost ? stalenessWords(read_ms) : "");
    engines.setLost(lost);
    drawCards(telemetry, read_ms);
  });
}

/**
 * Return a function that draws the cards if they are due. Without a status, it draws the latest status as an old one.
 * @param {ReturnType<typeof card>[]} cards
 */
function plotCards(cards) {
  /** @type {Telemetry | null} */
  let latest = null;
  /** @type {Telemetry | null} */
  let drawn = null; // null if the drawing shows an old status
  return (/** @type {Telemetry | null} */ telemetry, /** @type {number} */ read_ms) => {
    latest = telemetry ?? latest;
    if (!latest || (telemetry && !isDue(telemetry, drawn))) return;
    drawn = telemetry;
    for (const card of cards) card.draw(latest, read_ms, !telemetry);
  };
}

/** @param {number} read_ms  time of the shown figures; 0 if there are none */
function stalenessWords(read_ms) {
  if (!read_ms) return "The studio does not answer.";
  return `Figures as of ${wallClock(read_ms)}; the studio does not answer.`;
}

/**
 * Return true if the plots must be drawn: the drawing is old, or something runs, waits or has just ended and the drawing is not new.
 * @param {Telemetry} telemetry @param {Telemetry | null} drawn
 */
function isDue(telemetry, drawn) {
  if (!drawn || telemetry.at_s < drawn.at_s || telemetry.at_s - drawn.at_s >= RESTING_S) return true;
  if (telemetry.at_s - drawn.at_s < BUSY_S) return false;
  return busy(telemetry) || busy(drawn) || JSON.stringify(telemetry.outcomes) !== JSON.stringify(drawn.outcomes);
}

/** @param {Telemetry} telemetry */
function busy({ running, waiting, engines }) {
  return running.length + waiting.length > 0 || engines.some(({ state }) => state === "loading" || state === "warming");
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
    setText(scale, bytes(most));
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
  return card("Load", "Load of the device and the engines", (reading, { figures, drawing, scale, legend, readout }) => {
    const { now, time } = reading;
    const points = withLoad(reading.points);
    const onGpu = now.machine === null;
    const of = onGpu ? "GPU" : "CPU, all programs";
    const load = (/** @type {TelemetryPoint} */ { machine, utilisation }) => machine ?? utilisation;
    showFigures(figures, [
      [percent(load(now)), of],
      ...(onGpu ? [] : [/** @type {[string, string, string]} */ ([percent(now.utilisation), "CPU, studio", STUDIO])]),
      [percent(now.scheduler_busy), "engines busy", BUSY],
    ]);
    const lines = [
      { className: "second", of: (/** @type {TelemetryPoint} */ point) => point.scheduler_busy },
      { className: "first", of: load },
    ];
    drawLines(drawing, points, lines, 1, time);
    setText(scale, "100 %");
    showLegend(legend, [
      ["first", of],
      ["second", "engines busy", BUSY],
    ]);
    readout.update(points, time, (place) => loadAt(points[place], of));
  });
}

/** @param {TelemetryPoint} point @param {string} device @returns {[string, string][]} */
function loadAt({ machine, utilisation, scheduler_busy, temperature_c, power_w }, device) {
  /** @type {[string, string][]} */
  const values = [
    [device, percent(machine ?? utilisation)],
    ["engines busy", percent(scheduler_busy)],
  ];
  if (machine !== null) values.splice(1, 0, ["CPU, studio", percent(utilisation)]);
  if (temperature_c !== null) values.push(["GPU temperature", `${Math.round(temperature_c)} °C`]);
  if (power_w !== null) values.push(["GPU power", `${Math.round(power_w)} W`]);
  return values;
}

function costCard() {
  const label = "Time to first audio and to complete take";
  return card("Speed", label, (reading, { figures, drawing, scale, legend, readout }) => {
    const { timed, time } = reading;
    const shown = timed.filter((one) => time.now_s - one.at_s < time.span_s);
    const most = ceiling(
      shown.map((one) => one.latency_s),
      1,
    );
    const rtf = median(shown.map((one) => one.rtf));
    const rtfTitle =
      "Median real-time factor: computing time divided by audio length. Below 1 is faster than real time.";
    showFigures(figures, [
      [fine(median(shown.map((one) => one.ttfa_s))), "first audio", "Median of the takes in the plot"],
      [fine(median(shown.map((one) => one.latency_s))), "complete take", "Median of the takes in the plot"],
      [rtf === null ? "–" : rtf.toFixed(2), "RTF", rtfTitle],
    ]);
    drawTakes(drawing, shown, most, time);
    setText(scale, seconds(most));
    const minutes = plural(time.span_s / 60, "minute");
    const based = shown.length
      ? `Medians of ${plural(shown.length, "take")} in ${minutes}`
      : `No takes in the last ${minutes}`;
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
    ["engine", state.titles[engine] ?? engine],
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
    setText(scale, String(most));
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
