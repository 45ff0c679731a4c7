/** The engines: what each is, what it holds, and loading or unloading it, which belongs to the studio's owner. */
import { h } from "./dom.js";
import { attempt } from "./login.js";
import { post } from "./server.js";
import { lookNow } from "./telemetry.js";
import { bytes, percent } from "./words.js";

const CACHED = {
  codes: "encoded clips",
  prefixes: "read references",
  references: "references",
  weights: "fine-tuned weights",
};

export function engineTable() {
  const list = h("ul.engines");
  const rows = new Map();
  const element = h(
    "section.card.wide",
    { "aria-label": "Engines" },
    h("div.card-head", {}, h("h3", {}, "Engines")),
    list,
  );
  const draw = ({ engines, caches }) => {
    for (const engine of engines) {
      if (!rows.has(engine.name)) rows.set(engine.name, list.appendChild(row(engine.name)));
      const own = engine.info ? caches.filter((cache) => cache.engine === engine.name) : [];
      fill(rows.get(engine.name), engine, own);
    }
  };
  return { element, draw };
}

function row(name) {
  const button = h("button.quiet", { type: "button", onclick: () => change(name, button.dataset.verb) });
  return h(
    "li.engine",
    {},
    h("div.engine-words", {}, h("h4"), h("p.engine-state"), h("p.facts"), h("p.facts.caches")),
    h("div.progress", { hidden: true }, h("i")),
    button,
  );
}

function fill(row, { title, state, message, progress, memory_bytes, licence, info }, caches) {
  const busy = state === "loading" || state === "warming";
  row.querySelector("h4").textContent = title;
  row
    .querySelector(".engine-state")
    .replaceChildren(
      ...[
        h(`span.state.${state}`, {}, h("i.dot"), busy ? `${state} ${percent(progress)}` : state),
        message !== state && h("span", {}, message),
      ].filter(Boolean),
    );
  const facts = info
    ? [
        info.checkpoint,
        `${(info.parameters / 1e6).toFixed(0)} M parameters`,
        `${info.device}, ${info.dtype}`,
        info.compiled ? "compiled" : "not compiled",
        `${info.sample_rate / 1000} kHz`,
        bytes(memory_bytes),
      ]
    : [];
  row.querySelector(".facts").textContent = [...facts, `licence: ${licence}`].join(" · ");
  row.querySelector(".caches").textContent = caches.filter(asked).map(hits).join(" · ");
  const bar = row.querySelector(".progress");
  bar.hidden = !busy;
  bar.firstChild.style.transform = `scaleX(${progress})`;
  const button = row.querySelector("button");
  button.dataset.verb = state === "ready" || state === "warming" ? "unload" : "load";
  button.textContent = button.dataset.verb === "unload" ? "Unload" : "Load";
  button.setAttribute("aria-label", `${button.textContent} ${title}`);
  button.disabled = state === "loading";
}

const asked = ({ found, missed }) => found + missed > 0;

/** How often something was there already. */
function hits({ name, found, missed }) {
  return `${CACHED[name] ?? name} found in cache: ${found} of ${found + missed} (${percent(found / (found + missed))})`;
}

async function change(name, verb) {
  await attempt(async () => {
    await post(`/studio/engines/${name}/${verb}`);
    lookNow();
  });
}
