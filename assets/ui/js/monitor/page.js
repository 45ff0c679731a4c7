/** The Monitor page: memory, use, what takes cost, what waits, and the engines. */
import { follow } from "../core/bus.js";
import { h } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { bytes, fine, percent, plural, rankWords, seconds } from "../core/format.js";
import { page } from "../core/pages.js";
import { state } from "../core/state.js";
import { refreshTelemetry } from "../core/telemetry.js";
import { engineTable } from "./engines.js";
import { drawAreas, drawLines, drawTakes, plot } from "./plots.js";
import { ceiling, timeOf } from "./scale.js";

/** @typedef {Telemetry & {time: import("./scale.js").Time}} Reading */
/** @typedef {{figures: HTMLElement, drawing: SVGElement, scale: HTMLElement, legend: HTMLElement}} CardParts */

const LAYERS = ["first", "second", "third"]; // engines; what no engine claims is "other"

/** @param {HTMLElement} element */
export function mount(element) {
  const cards = [memoryCard(), useCard(), costCard(), queueCard()];
  const engines = engineTable();
  element.append(
    h(
      "div.monitor",
      {},
      h("h2.page-title", {}, "Monitor"),
      h("div.cards", {}, ...cards.map((card) => card.element)),
      engines.element,
    ),
  );
  follow(STATE.page, () => page() === "monitor" && refreshTelemetry());
  follow(STATE.telemetry, () => {
    if (!state.telemetry?.points.length || page() !== "monitor") return; // told for the strip alone, or too early
    for (const card of [...cards, engines]) card.draw(state.telemetry);
  });
}

/**
 * A card with a title, figures, a plot and a legend.
 * @param {string} title @param {string} label @param {(reading: Reading, parts: CardParts) => void} draw
 */
function card(title, label, draw) {
  const figures = h("p.figures");
  const drawing = plot(`${label}, last minutes`);
  const scale = h("span.scale");
  const legend = h("ul.legend");
  const since = h("span");
  const element = h(
    "section.card",
    { "aria-label": title },
    h("div.card-head", {}, h("h3", {}, title), figures),
    h("div.plot-holder", {}, drawing, scale),
    h("div.axis", { "aria-hidden": "true" }, since, h("span", {}, "now")),
    legend,
  );
  const redraw = (/** @type {Telemetry} */ telemetry) => {
    const time = timeOf(telemetry.points, telemetry.at_s);
    since.textContent = `${time.span_s / 60} min ago`;
    draw({ ...telemetry, time }, { figures, drawing, scale, legend });
  };
  return { element, draw: redraw };
}

/** @param {string} value @param {string} label @param {string} title */
function figure(value, label, title = "") {
  return h("span.figure", title ? { title } : {}, h("b", {}, value), ` ${label}`);
}

/** @param {string} className @param {string} words */
function key(className, words) {
  return h("li", {}, h(`i.swatch.${className}`), words);
}

function memoryCard() {
  return card("Memory", "Memory use by part", (reading, { figures, drawing, scale, legend }) => {
    const { points, now, total_bytes, memory, device, time } = reading;
    const names = Object.keys(now.parts_bytes).sort(
      (one, other) => Number(one === "other") - Number(other === "other"),
    );
    const used = points.map((point) => point.used_bytes);
    const most = ceiling(used, 1e8);
    const layers = names.map((name, place) => ({
      name,
      className: name === "other" ? name : LAYERS[place % LAYERS.length],
      of: (/** @type {TelemetryPoint} */ point) => point.parts_bytes[name] ?? 0,
    }));
    figures.replaceChildren(figure(bytes(now.used_bytes), `of ${bytes(total_bytes)} ${memory}, ${device}`));
    drawAreas(drawing, points, layers, most, time);
    scale.textContent = bytes(most);
    legend.replaceChildren(
      ...layers.map(({ name, className }) => key(className, `${name} ${bytes(now.parts_bytes[name])}`)),
    );
  });
}

function useCard() {
  return card("Load", "Device and scheduler load", (reading, { figures, drawing, scale, legend }) => {
    const { points, now, time, memory } = reading;
    const of = memory === "VRAM" ? "GPU" : "all cores";
    figures.replaceChildren(
      figure(percent(now.utilisation), of),
      figure(percent(now.scheduler_busy), "scheduler", "Share of time that the scheduler runs engine steps"),
    );
    const lines = [
      { className: "second", of: (/** @type {TelemetryPoint} */ point) => point.scheduler_busy },
      { className: "first", of: (/** @type {TelemetryPoint} */ point) => point.utilisation },
    ];
    drawLines(drawing, points, lines, 1, time);
    scale.textContent = "100 %";
    legend.replaceChildren(key("first", of), key("second", "scheduler"));
  });
}

function costCard() {
  const label = "Time to first audio and to complete take";
  return card("Speed", label, (reading, { figures, drawing, scale, legend }) => {
    const { timed, latency_s, ttfa_s, rtf, requests, time } = reading;
    const latencies = timed.map((one) => one.latency_s);
    const most = ceiling(latencies, 1);
    const percentiles = (/** @type {Percentiles} */ { p50, p95 }, /** @type {string} */ what) =>
      figure(fine(p50), `${what}, P95 ${fine(p95)}`, "Median (P50) and 95th percentile (P95)");
    const rtfTitle =
      "Median real-time factor: computing time divided by audio length. Below 1 is faster than real time.";
    figures.replaceChildren(
      percentiles(ttfa_s, "first audio"),
      percentiles(latency_s, "complete take"),
      figure(rtf.p50 === null ? "–" : rtf.p50.toFixed(2), "RTF", rtfTitle),
    );
    drawTakes(drawing, timed, most, time);
    scale.textContent = seconds(most);
    legend.replaceChildren(
      key("first", "complete take"),
      key("second", "first audio"),
      h("li", {}, requests ? `Based on ${plural(requests, "take")}` : "No takes yet"),
    );
  });
}

function queueCard() {
  return card("Queue", "Running and waiting requests", (reading, { figures, drawing, scale, legend }) => {
    const { points, running, waiting, outcomes, time } = reading;
    const counts = points.map((point) => point.queued + point.running);
    const most = ceiling(counts, 5);
    figures.replaceChildren(figure(String(running.length), "running"), figure(String(waiting.length), "waiting"));
    const lines = [
      { className: "second", of: (/** @type {TelemetryPoint} */ point) => point.queued, jumps: true },
      { className: "first", of: (/** @type {TelemetryPoint} */ point) => point.running, jumps: true },
    ];
    drawLines(drawing, points, lines, most, time);
    scale.textContent = String(most);
    const requests = [...running, ...waiting].slice(0, 6).map(request);
    const counted = ["done", "failed", "cancelled", "refused"].map((name) => `${outcomes[name] ?? 0} ${name}`);
    legend.replaceChildren(
      key("first", "running"),
      key("second", "waiting"),
      h("li", {}, counted.join(" · ")),
      ...requests,
    );
  });
}

/** @param {RequestStatus} status */
function request({ mine, engine, state, rank, progress, eta_s }) {
  const where = state === "running" ? percent(progress) : rankWords(rank, null).toLowerCase();
  const left = eta_s ? `, ${seconds(eta_s)} left` : "";
  return h(
    `li.request${mine ? ".mine" : ""}`,
    {},
    `${mine ? "Your request" : "Other user"}, ${engine}: ${where}${left}`,
  );
}
