/** Beside the Speak button: what happens with the press of it, in words. Also makes Gradio's two buttons ours. */
import { on } from "./bus.js";
import { h, whenThere } from "./dom.js";
import { speak, stop } from "./speak.js";
import { state } from "./state.js";
import { percent, rankWords, seconds } from "./words.js";

export function mount(element) {
  const words = h("p.standing-words");
  const bar = h("div.progress", { hidden: true }, h("i"));
  element.append(h("div.standing", {}, words, bar));
  const draw = () => show(words, bar);
  on("performance", draw);
  on("telemetry", draw);
  document.addEventListener("click", (event) => {
    if (event.target.closest("#speak")) speak();
    else if (event.target.closest("#stop")) stop();
  });
  for (const [selector, keys] of [
    ["#speak", "Ctrl Enter"],
    ["#stop", "Esc"],
  ]) {
    whenThere(selector).then((button) => button.append(h("kbd", { "aria-hidden": "true" }, keys)));
  }
  draw();
}

function show(words, bar) {
  const { performance } = state;
  document.body.classList.toggle("performing", Boolean(performance));
  for (const [selector, off] of [
    ["#speak", Boolean(performance)],
    ["#stop", !performance],
  ]) {
    document.querySelector(selector)?.setAttribute("aria-disabled", String(off));
  }
  const text = performance ? standing(performance) : loading();
  if (words.textContent !== text) words.textContent = text;
  const progress = performance ? performance.progress : (engine()?.progress ?? 0);
  bar.hidden = performance ? performance.phase !== "running" : !loading();
  bar.firstChild.style.transform = `scaleX(${progress})`;
}

function standing({ phase, rank, eta_s, progress }) {
  if (phase === "queueing") return "Asking for a place";
  if (phase === "queued" && !able()) return `${loading()} Your line is next.`;
  if (phase === "queued") return rankWords(rank, eta_s);
  return eta_s ? `Speaking, ${seconds(eta_s)} left` : `Speaking, ${percent(progress)}`;
}

function engine() {
  return state.telemetry?.engines.find((one) => one.state !== "unloaded") ?? null;
}

function able() {
  return state.telemetry?.engines.some((one) => ["ready", "warming"].includes(one.state)) ?? true;
}

/** Why Speak would wait now; empty when it would not. */
function loading() {
  const one = engine();
  if (!one || able()) return "";
  if (one.state === "failed") return `${one.title} is not available: ${one.message}`;
  return `${one.title} is loading, ${percent(one.progress)}.`;
}
