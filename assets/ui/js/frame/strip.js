/** The strip at the bottom of every page: engine states, memory, disk, load, latency and queue. */
import { follow } from "../core/bus.js";
import { h } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { bytes, engineState, fine, percent, plural, size } from "../core/format.js";
import { state } from "../core/state.js";
import { deliveryTask } from "./delivery-task.js";
import { renderTask } from "./render-task.js";
import { speakTask } from "./speak-task.js";

/** @param {HTMLElement} element */
export function mount(element) {
  const line = h("div.strip-parts");
  const tasks = [renderTask(), speakTask(), deliveryTask()];
  const holder = h("div.tasks", {}, ...tasks);
  const early = document.querySelectorAll("body > .toasts"); // messages that were shown before the strip was drawn
  element.append(h("footer.strip", { "aria-label": "Studio status" }, holder, line, ...early));
  follow([STATE.renders, STATE.synthesis, STATE.delivery, STATE.page, STATE.blind], () => {
    const count = tasks.filter(({ hidden }) => !hidden).length;
    if (count) document.body.dataset.tasks = String(count);
    else delete document.body.dataset.tasks;
    document.body.style.setProperty("--tasks", String(count));
  });
  follow(STATE.telemetry, () => line.replaceChildren(...(state.telemetry ? parts(state.telemetry) : [untold()])));
}

function untold() {
  if (!state.lost) return h("span.waiting", {}, "Connecting…");
  return h("span.state.failed", {}, h("i.dot"), "No connection. Check that the studio is running.");
}

/** @param {Telemetry} telemetry */
function parts(telemetry) {
  const { engines, device, disk, now, latency_s, ttfa_s } = telemetry;
  return [
    ...engines.map(engine),
    h("span.device.wide", { title: device }, short(device)),
    memory(telemetry),
    ...(disk ? [room(disk)] : []),
    load(now),
    h("span.gap"),
    h(
      "span.wide",
      { title: "Median time from request to first audio (TTFA) in the last 15 minutes" },
      "first audio ",
      h("b", {}, fine(ttfa_s.p50)),
    ),
    h(
      "span.wide",
      { title: "Time from request to complete take in the last 15 minutes: median (P50) and 95th percentile (P95)" },
      "P50 ",
      h("b", {}, fine(latency_s.p50)),
      " P95 ",
      h("b", {}, fine(latency_s.p95)),
    ),
    queue(telemetry),
  ];
}

/** @param {TelemetryPoint} now */
function load({ machine, utilisation }) {
  const title =
    machine === null
      ? "Load of the GPU in the last second"
      : `Load of the CPU by all programs in the last second. The studio uses ${percent(utilisation)}.`;
  return h("span.wide", { title }, "load ", h("b", {}, percent(machine ?? utilisation)));
}

/** @param {Telemetry} telemetry */
function queue({ queue_length, running }) {
  return h(
    "span.scheduler",
    { title: `${plural(running.length, "request")} running, ${queue_length} waiting` },
    running.length > 0 && h("span.label-wide", {}, `running ${running.length} · `),
    "queue ",
    h("b", {}, String(queue_length)),
  );
}

/** @param {EngineStatus} status */
function engine(status) {
  const { title, state, message } = status;
  const name = title.split(" ").flatMap((word) => [h("span", {}, word), " "]); // wraps between words, not at hyphens
  return h(
    `span.state.${state}`,
    { title: message },
    h("i.dot"),
    h("span.engine-name", {}, ...name),
    h("b", {}, engineState(status)),
  );
}

/** @param {string} device */
function short(device) {
  return device.replace(/^NVIDIA\s+/, "").replace(/\s*\(.*\)$/, "");
}

/** Return the free space on the disk of the data folder. @param {DiskReading} disk */
function room({ free_bytes, total_bytes, low }) {
  const title = `Disk for takes, clips and champions: ${size(free_bytes)} of ${size(total_bytes)} free`;
  return h(`span.disk${low ? ".low" : ".wide"}`, { title }, "disk ", h("b", {}, `${size(free_bytes)} free`));
}

/** Return the used memory, with a list of its users as the tooltip. @param {Telemetry} telemetry */
function memory({ memory: kind, total_bytes, now }) {
  const share = total_bytes ? now.used_bytes / total_bytes : 0;
  const label = kind === "VRAM" ? "VRAM" : "memory";
  const named = Object.entries(now.parts_bytes)
    .map(([name, size]) => `${name} ${bytes(size)}`)
    .join(" · ");
  return h(
    "span.memory",
    { title: `${kind}: ${named}` },
    h("span.label-wide", {}, `${label} `),
    h("span.meter", { "aria-hidden": "true" }, h("i", { style: `width:${(100 * share).toFixed(1)}%` })),
    h("b", {}, bytes(now.used_bytes)),
    h("span.label-wide", {}, ` of ${bytes(total_bytes)}`),
  );
}
