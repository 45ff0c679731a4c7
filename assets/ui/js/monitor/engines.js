/** The engines: state, facts, caches, backends, and controls, which only the owner may use. */
import { h } from "../core/dom.js";
import { bytes, percent } from "../core/format.js";
import { attempt } from "../core/login.js";
import { get, post } from "../core/server.js";
import { refreshTelemetry } from "../core/telemetry.js";
import { Backends } from "./backends.js";
import { Caches } from "./caches.js";
import { IdleChoice } from "./idle-choice.js";

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
  return { element, draw };
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
  constructor({ name, title }) {
    this.verb = "";
    this.drawn = "";
    this.state = h("p.engine-state");
    this.facts = h("p.facts");
    this.caches = new Caches(name);
    this.backends = new Backends();
    this.idle = new IdleChoice(name, title);
    this.fill = h("i");
    this.bar = h("div.progress", { hidden: true }, this.fill);
    this.button = h("button.quiet", { type: "button", onclick: () => change(name, this.verb) });
    this.reload = h(
      "button.quiet",
      {
        type: "button",
        "aria-label": `Reload ${title}`,
        title: "Unload the engine and load its checkpoint again",
        onclick: () => change(name, "reload"),
      },
      "Reload",
    );
    this.element = h(
      "li.engine",
      { "aria-label": title },
      h("div.engine-words", {}, h("h4", {}, title), this.state, this.facts),
      h("div.engine-controls", {}, this.idle.element, this.reload, this.button),
      this.bar,
      this.caches.element,
      this.backends.element,
    );
  }

  /** @param {EngineStatus} status @param {CacheCount[]} caches  of this engine @param {IdleState | undefined} idle */
  update(status, caches, idle) {
    this.caches.update(caches);
    this.idle.update(idle);
    const drawn = JSON.stringify(status);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const { title, state, message, progress } = status;
    const busy = state === "loading" || state === "warming";
    const words = h(`span.state.${state}`, {}, h("i.dot"), busy ? `${state} ${percent(progress)}` : state);
    this.state.replaceChildren(words, ...(message === state ? [] : [h("span", {}, message)]));
    this.facts.textContent = facts(status).join(" · ");
    this.backends.update(status.info?.backends ?? [], state);
    this.bar.hidden = !busy;
    this.fill.style.transform = `scaleX(${progress})`;
    this.verb = state === "ready" || state === "warming" ? "unload" : "load";
    this.button.textContent = this.verb === "unload" ? "Unload" : state === "failed" ? "Load again" : "Load";
    this.button.setAttribute("aria-label", `${this.button.textContent} ${title}`);
    this.button.disabled = state === "loading";
    this.reload.hidden = this.verb === "load";
  }
}

/** @param {EngineStatus} status */
function facts({ info, memory_bytes, licence }) {
  const terms = `Licence: ${licence}`;
  if (!info) return [terms];
  return [
    `checkpoint ${info.checkpoint}`,
    `${(info.parameters / 1e6).toFixed(0)} M parameters`,
    `${info.device}, ${info.dtype}`,
    `${info.rows} at a time`,
    `${info.sample_rate / 1000} kHz`,
    bytes(memory_bytes),
    terms,
  ];
}

/** @param {string} name @param {string} verb */
async function change(name, verb) {
  await attempt(async () => {
    await post(`/studio/engines/${name}/${verb}`);
    refreshTelemetry();
  });
}
