/** Beside the Speak button: what happens with the press of it, in words. Also makes Gradio's two buttons ours. */
import { follow } from "./bus.js";
import { canSpeakBoth, speakBoth } from "./both.js";
import { h, whenThere } from "./dom.js";
import { chosen } from "./engine.js";
import { speak, stop } from "./speak.js";
import { engineOf, state, unavailable } from "./state.js";
import { about, percent, rankWords } from "./words.js";

export function mount(element) {
  const words = h("p.standing-words");
  const bar = h("div.progress", { hidden: true }, h("i"));
  element.append(h("div.standing", {}, words, bar));
  const draw = () => show(words, bar);
  follow(["performance", "telemetry", "engine"], draw);
  document.addEventListener("click", (event) => {
    if (event.target.closest("#speak")) speak();
    else if (event.target.closest("#both")) speakBoth();
    else if (event.target.closest("#stop")) stop();
  });
  for (const [selector, keys] of [
    ["#speak", "Ctrl Enter"],
    ["#stop", "Esc"],
  ]) {
    whenThere(selector).then((button) => button.append(h("kbd", { "aria-hidden": "true" }, keys)));
  }
  whenThere("#both").then((button) => (button.title = "Every engine speaks the line; you hear them blind and vote"));
  whenThere("#stop").then(draw); // the last of the buttons: what was told before it came is drawn now
}

function show(words, bar) {
  const { performance } = state;
  document.body.classList.toggle("performing", Boolean(performance));
  for (const [selector, off] of [
    ["#speak", Boolean(performance)],
    ["#both", Boolean(performance)],
    ["#stop", !performance],
  ]) {
    document.querySelector(selector)?.setAttribute("aria-disabled", String(off));
  }
  document.querySelector("#both")?.toggleAttribute("hidden", !canSpeakBoth());
  const text = performance ? standing(performance) : loading();
  if (words.textContent !== text) words.textContent = text;
  const progress = performance ? performance.progress : (engine()?.progress ?? 0);
  bar.hidden = performance ? performance.phase !== "running" : !loading();
  bar.firstChild.style.transform = `scaleX(${progress})`;
}

function standing({ phase, rank, eta_s, progress, aloud, order }) {
  if (phase === "looking") return "Looking at the reference";
  if (phase === "queueing") return "Asking for a place";
  if (phase === "queued" && !able()) return `${loading()} Your line is next.`;
  if (phase === "queued") return rankWords(rank, eta_s);
  const speaking = aloud ? "Speaking" : `Speaking with ${engine()?.title ?? order.engine}`;
  if (eta_s) return `${speaking}, ${about(eta_s)} left`;
  return progress ? `${speaking}, ${percent(progress)}` : "Starting";
}

/** The one that speaks, or would. */
function engine() {
  const { performance } = state;
  return performance ? engineOf(performance.order.engine) : chosen();
}

function able() {
  const one = engine();
  return !one || ["ready", "warming"].includes(one.state);
}

/** Why Speak would wait now; empty when it would not. */
function loading() {
  const one = engine();
  if (!one || able()) return "";
  if (one.state === "unloaded") return `${one.title} is not loaded; speaking loads it.`;
  if (one.state === "failed") return unavailable(one.name);
  return `${one.title} is loading, ${percent(one.progress)}.`;
}
