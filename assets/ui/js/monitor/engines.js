/** The engines: state, facts, caches, backends and controls. */
import { h } from "../core/dom.js";
import { bytes, engineState, plural } from "../core/format.js";
import { attempt } from "../core/login.js";
import { get } from "../core/server.js";
import { Backends } from "./backends.js";
import { Caches } from "./caches.js";
import { EngineControls } from "./controls.js";

export function engineTable() {
  const list = h("ul.engines");
  /** @type {Map<string, EngineRow>} */
  const rows = new Map();
  const more = moreEngines();
  const element = h(
    "section.card.wide",
    { "aria-label": "Engines" },
    h("div.card-head", {}, h("h3", {}, "Engines")),
    list,
    more.element,
  );
  const draw = (/** @type {Telemetry} */ { engines, caches, idle }) => {
    more.load();
    for (const engine of engines) {
      const row = rows.get(engine.name) ?? new EngineRow(engine);
      if (!rows.has(engine.name)) list.append(row.element);
      rows.set(engine.name, row);
      row.update(
        engine,
        caches.filter((cache) => cache.engine === engine.name),
        idle[engine.name],
      );
    }
  };
  const setLost = (/** @type {boolean} */ lost) => {
    for (const row of rows.values()) row.setLost(lost);
  };
  return { element, draw, setLost };
}

/** Return a list of the engines that this studio does not run. The list is hidden until `load` finds an engine. */
function moreEngines() {
  const element = h("details.more-engines", { hidden: true }, h("summary", {}, "More engines"));
  let asked = false;
  const load = async () => {
    if (asked) return;
    asked = true; // the answer changes only when the studio starts again
    /** @type {AvailableEngine[]} */
    const engines = (await attempt(() => get("/studio/engines/available"))) ?? [];
    element.append(...engines.map(described));
    element.hidden = !engines.length;
  };
  return { element, load };
}

/** @param {AvailableEngine} engine */
function described({ title, good_at, how }) {
  return h("p", {}, h("strong", {}, title), ` ${good_at} ${how}`);
}

class EngineRow {
  /** @param {EngineStatus} status */
  constructor(status) {
    const { name, title } = status;
    this.drawn = "";
    this.state = h("p.engine-state");
    this.facts = h("p.facts");
    this.controls = new EngineControls(status);
    this.caches = new Caches(name);
    this.backends = new Backends();
    this.fill = h("i");
    this.bar = h("div.progress", { hidden: true }, this.fill);
    this.element = h(
      "li.engine",
      { "aria-label": title },
      h("div.engine-words", {}, h("h4", {}, title), this.state, this.facts),
      this.controls.element,
      this.bar,
      this.caches.element,
      this.backends.element,
    );
  }

  /** @param {EngineStatus} status @param {CacheCount[]} caches  of this engine @param {IdleState | undefined} idle */
  update(status, caches, idle) {
    this.caches.update(caches);
    this.controls.idle.update(idle);
    this.controls.update(status);
    const drawn = JSON.stringify(status);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const { state, progress } = status;
    this.state.replaceChildren(...stateWords(status));
    this.facts.textContent = facts(status).join(" · ");
    this.backends.update(status.info?.backends ?? [], state);
    this.bar.hidden = state !== "loading" && state !== "warming";
    this.fill.style.transform = `scaleX(${progress})`;
  }

  /** @param {boolean} lost  whether the studio stopped answering */
  setLost(lost) {
    this.controls.setLost(lost);
    this.caches.setLost(lost);
  }
}

/** @param {EngineStatus} status */
function stateWords(status) {
  const words = engineState(status);
  const state = h(`span.state.${status.state}`, {}, h("i.dot"), words);
  if (words.startsWith(status.message)) return [state]; // "warming up 40 %" contains "warming up"
  return [state, h("span", {}, status.message)];
}

/** @param {EngineStatus} status */
function facts({ info, memory_bytes, licence }) {
  const terms = `Licence: ${licence}`;
  if (!info) return [terms];
  return [
    `checkpoint ${info.checkpoint}`,
    `${(info.parameters / 1e6).toFixed(0)} M parameters`,
    `${info.device}, ${info.dtype}`,
    `speaks ${plural(info.rows, "request")} at a time`,
    `${info.sample_rate / 1000} kHz`,
    bytes(memory_bytes),
    terms,
  ];
}
