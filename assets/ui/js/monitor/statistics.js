/** The table of percentiles: each engine over two minutes, an hour and a day, including takes before the last restart. */
import { h, setText } from "../core/dom.js";
import { fine, plural, seconds } from "../core/format.js";
import { page } from "../core/pages.js";
import { poll } from "../core/polling.js";
import { get } from "../core/server.js";
import { state } from "../core/state.js";

const EVERY_MS = 5000;
/** @type {Record<number, string>} */
const WINDOWS = { 120: "2 min", 3600: "1 h", 86400: "24 h" };
/** @type {[string, "total_s" | "first_audio_s" | "rtf", (value: number | null) => string, string][]} */
const FIGURES = [
  ["Complete take", "total_s", fine, "From the request to the end of its audio, including waiting and sending"],
  ["First audio", "first_audio_s", fine, "From the request to the first audio (TTFA), including waiting and sending"],
  ["RTF", "rtf", factor, "Computing time divided by audio length. Below 1 is faster than real time."],
];
/** @type {["p50" | "p95" | "p99", string, string][]} */
const RANKS = [
  ["p50", "P50", "Half of the takes are at or below this value"],
  ["p95", "P95", "95 of 100 takes are at or below this value"],
  ["p99", "P99", "99 of 100 takes are at or below this value"],
];

/** @param {number | null} value */
function factor(value) {
  return value === null ? "–" : value.toFixed(2);
}

export function statisticsTable() {
  const table = h("table.statistics", { role: "table" }, head());
  const about = h("p.facts", { role: "status" }, "Loading…");
  const element = h(
    "section.card.wide",
    { "aria-label": "Latency by engine" },
    h("div.card-head", {}, h("h3", {}, "Latency by engine"), about),
    table,
  );
  let drawn = "";
  const look = async () => {
    const answer = await get("/studio/telemetry/statistics").catch(() => null);
    setText(
      about,
      answer
        ? "Percentiles of finished takes, including takes before the last restart"
        : "The figures could not be loaded. The page tries again.",
    );
    if (!answer || JSON.stringify(answer) === drawn) return;
    drawn = JSON.stringify(answer);
    table.replaceChildren(head(), ...groups(answer));
  };
  poll({ needed: () => page() === "monitor", every: () => EVERY_MS, look });
  return element;
}

/** @param {WindowStatistics[]} statistics */
function groups(statistics) {
  const names = [...new Set(statistics.map(({ engine }) => engine))];
  return names.map((name) =>
    engineRows(
      name,
      statistics.filter(({ engine }) => engine === name),
    ),
  );
}

function head() {
  const groups = FIGURES.map(([title, , , meaning]) =>
    h("th", { role: "columnheader", scope: "colgroup", colspan: "3", title: meaning }, title),
  );
  const ranks = FIGURES.flatMap(() =>
    RANKS.map(([, title, meaning]) => h("th", { role: "columnheader", scope: "col", title: meaning }, title)),
  );
  return h(
    "thead",
    { role: "rowgroup" },
    h("tr", { role: "row" }, h("td", { role: "cell", colspan: "2" }), ...groups),
    h(
      "tr",
      { role: "row" },
      h("th", { role: "columnheader", scope: "col" }, "Last"),
      h("th", { role: "columnheader", scope: "col" }, "Takes"),
      ...ranks,
    ),
  );
}

/** @param {string} name @param {WindowStatistics[]} windows */
function engineRows(name, windows) {
  const ranks = RANKS.map(([, rank]) => h("span.phone", { "aria-hidden": "true" }, rank));
  const title = h("th", { role: "rowheader", scope: "rowgroup", colspan: "11" }, state.titles[name] ?? name, ...ranks);
  return h("tbody", { role: "rowgroup" }, h("tr.engine-name", { role: "row" }, title), ...windows.map(windowRow));
}

/** @param {WindowStatistics} window */
function windowRow(window) {
  const { window_s, covered_s, outcomes } = window;
  const others = ["failed", "cancelled", "refused"].filter((outcome) => outcomes[outcome]);
  const short = covered_s < window_s && `only the last ${seconds(covered_s)}`;
  const cells = FIGURES.flatMap(([title, figure, words, meaning]) =>
    RANKS.map(([rank], place) => {
      const label = place ? null : title; // a narrow page shows the title before the three values
      return h("td", { role: "cell", "data-label": label, title: meaning }, words(window[figure][rank]));
    }),
  );
  return h(
    outcomes.done ? "tr" : "tr.without",
    { role: "row" },
    h(
      "th",
      { role: "rowheader", scope: "row" },
      WINDOWS[window_s] ?? seconds(window_s),
      short && h("small", { title: "The percentiles use the newest 10,000 requests" }, short),
    ),
    h(
      "td.counted",
      { role: "cell" },
      plural(outcomes.done, "take"),
      others.length > 0 && h("small", {}, others.map((outcome) => `${outcomes[outcome]} ${outcome}`).join(", ")),
    ),
    ...cells,
  );
}
