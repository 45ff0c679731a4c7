/** The Monitor page: memory, use, what takes cost, what waits, and the engines. */
import { follow } from "./bus.js";
import { h } from "./dom.js";
import { engineTable } from "./engines.js";
import { page } from "./pages.js";
import { ceiling, drawAreas, drawLines, drawTakes, plot, timeOf } from "./plots.js";
import { state } from "./state.js";
import { lookNow } from "./telemetry.js";
import { bytes, fine, percent, plural, rankWords, seconds } from "./words.js";

const LAYERS = ["first", "second", "third"]; // engines; what no engine claims is "other"

export function mount(element) {
  const cards = [memoryCard(), useCard(), costCard(), laneCard()];
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
  follow("page", () => page() === "monitor" && lookNow());
  follow("telemetry", () => {
    if (!state.telemetry || page() !== "monitor") return;
    for (const card of [...cards, engines]) card.draw(state.telemetry);
  });
}

/** A card with a title, figures, a plot and a legend. */
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
  const redraw = (told) => {
    const time = timeOf(told.points, told.at_s);
    since.textContent = `${time.span_s / 60} min ago`;
    draw({ ...told, time }, { figures, drawing, scale, legend });
  };
  return { element, draw: redraw };
}

function figure(value, label, title = "") {
  return h("span.figure", title ? { title } : {}, h("b", {}, value), ` ${label}`);
}

function key(className, words) {
  return h("li", {}, h(`i.swatch.${className}`), words);
}

function memoryCard() {
  return card("Memory", "Memory in use by part", (told, { figures, drawing, scale, legend }) => {
    const { points, now, total_bytes, memory, device, time } = told;
    const names = Object.keys(now.parts_bytes).sort((one, other) => (one === "other") - (other === "other"));
    const most = ceiling(
      points.map((point) => point.used_bytes),
      1e8,
    );
    const look = (name, place) => (name === "other" ? name : LAYERS[place % LAYERS.length]);
    figures.replaceChildren(figure(bytes(now.used_bytes), `of ${bytes(total_bytes)} ${memory}, ${device}`));
    drawAreas(
      drawing,
      points,
      names.map((name, place) => ({ className: look(name, place), of: (point) => point.parts_bytes[name] ?? 0 })),
      most,
      time,
    );
    scale.textContent = bytes(most);
    legend.replaceChildren(
      ...names.map((name, place) => key(look(name, place), `${name} ${bytes(now.parts_bytes[name])}`)),
    );
  });
}

function useCard() {
  return card("Use", "How busy device and lane are", (told, { figures, drawing, scale, legend }) => {
    const { points, now, time, memory } = told;
    const of = memory === "VRAM" ? "GPU" : "all cores";
    figures.replaceChildren(
      figure(percent(now.utilisation), of),
      figure(percent(now.lane_busy), "lane", "Time the lane spent in engines' steps"),
    );
    drawLines(
      drawing,
      points,
      [
        { className: "second", of: (point) => point.lane_busy },
        { className: "first", of: (point) => point.utilisation },
      ],
      1,
      time,
    );
    scale.textContent = "100 %";
    legend.replaceChildren(key("first", of), key("second", "lane: the one worker that owns the device"));
  });
}

function costCard() {
  return card(
    "What takes cost",
    "Time to first sound and to the whole take",
    (told, { figures, drawing, scale, legend }) => {
      const { timed, latency_s, ttfa_s, rtf, requests, time } = told;
      const most = ceiling(
        timed.map((one) => one.latency_s),
        1,
      );
      const both = ({ p50, p95 }, what) =>
        figure(fine(p50), `${what}, P95 ${fine(p95)}`, "P50: half of the takes were faster. P95: 95 of 100 were");
      figures.replaceChildren(
        both(ttfa_s, "first sound"),
        both(latency_s, "whole take"),
        figure(
          rtf.p50 === null ? "–" : rtf.p50.toFixed(2),
          "RTF",
          "Seconds of computing per second of sound: half of the takes needed less",
        ),
      );
      drawTakes(drawing, timed, most, time);
      scale.textContent = seconds(most);
      legend.replaceChildren(
        key("first", "whole take"),
        key("second", "first sound"),
        h("li", {}, requests ? `over ${plural(requests, "take")}` : "Takes appear here as they are made"),
      );
    },
  );
}

function laneCard() {
  return card("Queue", "How many requests speak and wait", (told, { figures, drawing, scale, legend }) => {
    const { points, running, waiting, outcomes, time } = told;
    const most = ceiling(
      points.map((point) => point.queued + point.running),
      5,
    );
    figures.replaceChildren(figure(String(running.length), "speaking"), figure(String(waiting.length), "waiting"));
    drawLines(
      drawing,
      points,
      [
        { className: "second", of: (point) => point.queued, steps: true },
        { className: "first", of: (point) => point.running, steps: true },
      ],
      most,
      time,
    );
    scale.textContent = String(most);
    const requests = [...running, ...waiting].slice(0, 6).map(request);
    const counted = ["done", "failed", "cancelled", "refused"]
      .map((name) => `${outcomes[name] ?? 0} ${name}`)
      .join(" · ");
    legend.replaceChildren(key("first", "speaking"), key("second", "waiting"), h("li", {}, counted), ...requests);
  });
}

function request({ mine, engine, state, rank, progress, eta_s }) {
  const where = state === "running" ? percent(progress) : rankWords(rank, null).toLowerCase();
  const left = eta_s ? `, ${seconds(eta_s)} left` : "";
  return h(`li.request${mine ? ".mine" : ""}`, {}, `${mine ? "Yours" : "Someone's"} on ${engine}: ${where}${left}`);
}
