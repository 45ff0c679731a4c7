/** The engines: what each is, what it holds, and loading or unloading it, which belongs to the studio's owner. */
import { h } from "../core/dom.js";
import { bytes, percent } from "../core/format.js";
import { attempt } from "../core/login.js";
import { post } from "../core/server.js";
import { refreshTelemetry } from "../core/telemetry.js";
import { Backends } from "./backends.js";

/** @type {Record<string, string>} */
const CACHED = {
  codes: "encoded clips",
  prefixes: "prepared references",
  references: "references",
  weights: "fine-tuned weights",
};

export function engineTable() {
  const list = h("ul.engines");
  /** @type {Map<string, EngineRow>} */
  const rows = new Map();
  const element = h(
    "section.card.wide",
    { "aria-label": "Engines" },
    h("div.card-head", {}, h("h3", {}, "Engines")),
    list,
  );
  const draw = (/** @type {Telemetry} */ { engines, caches }) => {
    for (const engine of engines) {
      const row = rows.get(engine.name) ?? new EngineRow(engine.name);
      if (!rows.has(engine.name)) list.append(row.element);
      rows.set(engine.name, row);
      row.update(engine, engine.info ? caches.filter((cache) => cache.engine === engine.name) : []);
    }
  };
  return { element, draw };
}

class EngineRow {
  /** @param {string} name */
  constructor(name) {
    this.verb = "";
    this.title = h("h4");
    this.state = h("p.engine-state");
    this.facts = h("p.facts");
    this.caches = h("p.facts.caches");
    this.backends = new Backends();
    this.fill = h("i");
    this.bar = h("div.progress", { hidden: true }, this.fill);
    this.button = h("button.quiet", { type: "button", onclick: () => change(name, this.verb) });
    const words = h("div.engine-words", {}, this.title, this.state, this.facts, this.caches, this.backends.element);
    this.element = h("li.engine", {}, words, this.bar, this.button);
  }

  /** @param {EngineStatus} status @param {CacheCount[]} caches  of its own */
  update(status, caches) {
    const { title, state, message, progress } = status;
    const busy = state === "loading" || state === "warming";
    const words = h(`span.state.${state}`, {}, h("i.dot"), busy ? `${state} ${percent(progress)}` : state);
    this.title.textContent = title;
    this.state.replaceChildren(words, ...(message === state ? [] : [h("span", {}, message)]));
    this.facts.textContent = facts(status).join(" · ");
    this.caches.textContent = caches.filter(isAsked).map(hits).join(" · ");
    this.backends.update(status.info?.backends ?? []);
    this.bar.hidden = !busy;
    this.fill.style.transform = `scaleX(${progress})`;
    this.verb = state === "ready" || state === "warming" ? "unload" : "load";
    this.button.textContent = this.verb === "unload" ? "Unload" : "Load";
    this.button.setAttribute("aria-label", `${this.button.textContent} ${title}`);
    this.button.disabled = state === "loading";
  }
}

/** @param {EngineStatus} status */
function facts({ info, memory_bytes, licence }) {
  const terms = `Licence: ${licence}`;
  if (!info) return [terms];
  return [
    info.checkpoint,
    `${(info.parameters / 1e6).toFixed(0)} M parameters`,
    `${info.device}, ${info.dtype}`,
    info.compiled ? "compiled" : "not compiled",
    `${info.sample_rate / 1000} kHz`,
    bytes(memory_bytes),
    terms,
  ];
}

/** @param {CacheCount} cache */
function isAsked({ found, missed }) {
  return found + missed > 0;
}

/** How often something was there already. @param {CacheCount} cache */
function hits({ name, found, missed }) {
  return `Cache hits, ${CACHED[name] ?? name}: ${found} of ${found + missed} (${percent(found / (found + missed))})`;
}

/** @param {string} name @param {string} verb */
async function change(name, verb) {
  await attempt(async () => {
    await post(`/studio/engines/${name}/${verb}`);
    refreshTelemetry();
  });
}
