/** Beside the Speak button: what happens with the press of it, in words. Also makes Gradio's buttons ours. */
import { follow } from "../core/bus.js";
import { diskWarning } from "../core/disk.js";
import { h, whenPresent } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { about, percent, rankWords } from "../core/format.js";
import { engineOf, state, titleOf, unavailable } from "../core/state.js";
import { canSpeakBoth, speakBoth } from "./comparison.js";
import { chosen } from "./engine.js";
import { speak, stop } from "./synthesis.js";

/** @param {HTMLElement} element */
export function mount(element) {
  const words = h("p.standing-words");
  const fill = h("i");
  const bar = h("div.progress", { hidden: true }, fill);
  const warning = h("p.disk-warning", { role: "status" });
  element.append(h("div.standing", {}, words, bar, warning));
  const draw = () => {
    drawButtons();
    const text = state.synthesis ? progressWords(state.synthesis) : loading();
    if (words.textContent !== text) words.textContent = text;
    if (warning.textContent !== diskWarning()) warning.textContent = diskWarning();
    bar.hidden = state.synthesis ? state.synthesis.phase !== "running" : !loading();
    fill.style.transform = `scaleX(${(state.synthesis ?? engine())?.progress ?? 0})`;
  };
  follow([STATE.synthesis, STATE.telemetry, STATE.engine], draw);
  takeOverButtons().then(draw); // what was told before the last of them came is drawn then
}

function takeOverButtons() {
  document.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (target.closest("#speak")) speak();
    else if (target.closest("#both")) speakBoth();
    else if (target.closest("#stop")) stop();
  });
  for (const [selector, keys] of [
    ["#speak", "Ctrl Enter"],
    ["#stop", "Esc"],
  ]) {
    whenPresent(selector).then((button) => button.append(h("kbd", { "aria-hidden": "true" }, keys)));
  }
  whenPresent("#both").then((button) => {
    button.title = "Generate the line with every engine, then compare the takes blind";
  });
  return whenPresent("#stop");
}

function drawButtons() {
  const speaks = Boolean(state.synthesis);
  document.body.classList.toggle("performing", speaks);
  for (const selector of ["#speak", "#both"])
    document.querySelector(selector)?.setAttribute("aria-disabled", String(speaks));
  document.querySelector("#stop")?.setAttribute("aria-disabled", String(!speaks));
  document.querySelector("#both")?.toggleAttribute("hidden", !canSpeakBoth());
}

/** @param {Synthesis} synthesis */
function progressWords({ phase, rank, eta_s, progress, aloud, order }) {
  if (phase === "checking") return "Checking reference";
  if (phase === "joining") return "Joining queue";
  if (phase === "queued" && !isLoaded()) return `${loading()} Your line is next.`;
  if (phase === "queued") return rankWords(rank, eta_s);
  const speaking = aloud ? "Generating" : `Generating with ${titleOf(order.engine)}`;
  if (eta_s) return `${speaking}, ${about(eta_s)} left`;
  return progress ? `${speaking}, ${percent(progress)}` : "Starting";
}

/** The one that speaks, or would. */
function engine() {
  return state.synthesis ? engineOf(state.synthesis.order.engine) : chosen();
}

function isLoaded() {
  const status = engine();
  return !status || ["ready", "warming"].includes(status.state);
}

/** Why Speak would wait now; empty when it would not. */
function loading() {
  const status = engine();
  if (!status || isLoaded()) return "";
  if (status.state === "unloaded") return `${status.title} is not loaded. Press Speak to load ${status.title}.`;
  if (status.state === "failed") return unavailable(status.name);
  return `${status.title} is loading, ${percent(status.progress)}.`;
}
