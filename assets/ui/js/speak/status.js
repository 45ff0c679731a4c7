/** The status next to the Speak button: progress, loading engine, full disk. It also handles Gradio's buttons. */
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
  takeOverButtons().then(draw); // draw again, because the last button may be added after the first status
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
    button.title = "Generate the line with the first two engines, then compare the takes blind";
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
export function progressWords(synthesis) {
  const { phase, aloud, order } = synthesis;
  if (phase === "queued" && !isLoaded()) return `${loading()} Your line is next.`;
  return plainWords(synthesis, aloud ? "Generating" : `Generating with ${titleOf(order.engine)}`);
}

/** Describe the progress without the name of the engine. @param {Synthesis} synthesis */
export function plainWords({ phase, rank, eta_s, progress }, speaking = "Generating") {
  if (phase === "checking") return "Checking reference";
  if (phase === "joining") return "Joining queue";
  if (phase === "queued") return rankWords(rank, eta_s);
  if (eta_s) return `${speaking}, ${about(eta_s)} left`;
  return progress ? `${speaking}, ${percent(progress)}` : "Starting";
}

/** Return the engine of the running take, or else the chosen engine. */
function engine() {
  return state.synthesis ? engineOf(state.synthesis.order.engine) : chosen();
}

function isLoaded() {
  const status = engine();
  return !status || ["ready", "warming"].includes(status.state);
}

/** Return why Speak would have to wait; empty if it would not. */
function loading() {
  const status = engine();
  if (!status || isLoaded()) return "";
  if (status.state === "unloaded") return `${status.title} is not loaded. Press Speak to load ${status.title}.`;
  if (status.state === "failed") return unavailable(status.name);
  return `${status.title} is loading, ${percent(status.progress)}.`;
}
