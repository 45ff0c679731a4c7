/** Design a voice: an engine generates voices from a description. Hidden unless an engine of the studio designs voices. */
import { follow } from "../core/bus.js";
import { announce, h, icon } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { designingEngine, NO_CLIP, order, restored, state } from "../core/state.js";
import { loadJson, saveJson } from "../core/storage.js";
import { speak } from "./synthesis.js";

const KEY = "design"; // the description, and whether the panel is open; kept across reloads
const COUNT = 3; // takes of one press, each with another voice
const HINT = "The engine generates a voice from this description. Keep a voice that you like as a champion.";
const NO_VOICE = { ...NO_CLIP, champion: "", version: "", attachment: "" };
const GENDERS = { female: "Female", male: "Male" };
const LEVELS = { very_low: "Very low", low: "Low", moderate: "Moderate", high: "High", very_high: "Very high" };
/** The parts of a description, in their order. */
const PARTS = { Gender: GENDERS, Pitch: LEVELS, Speed: LEVELS };
const FIRST = { design: "female moderate moderate", open: false };

const kept = { ...FIRST, ...loadJson(KEY, FIRST) };
let isDesigning = false; // from the press of the button to the end of the last take
let draw = () => {};
let show = () => {};

/** @param {HTMLElement} element */
export function mount(element) {
  const selects = Object.values(PARTS).map((values) =>
    h("select", {}, ...Object.entries(values).map(([value, words]) => h("option", { value }, words))),
  );
  const labels = Object.keys(PARTS).map((name, at) =>
    h("label", {}, h("span.hint", {}, name), h("span.select", {}, selects[at], icon("down"))),
  );
  const choose = () => keep({ design: selects.map(({ value }) => value).join(" ") });
  const button = h("button.quiet", { type: "button", onclick: designVoices }, "Design three voices");
  /** @type {HTMLDetailsElement} */
  const panel = h(
    "details.design",
    { ontoggle: () => keep({ open: panel.open }) },
    h("summary", {}, icon("down"), h("h3", {}, "Design a voice")),
    h("p.hint", {}, HINT),
    h("div.design-parts", { onchange: choose }, ...labels),
    button,
  );
  element.append(panel);
  draw = () => {
    element.hidden = !designingEngine();
    button.setAttribute("aria-disabled", String(isDesigning || state.synthesis !== null)); // `disabled` would move the focus
  };
  show = () => {
    const values = kept.design.split(" ");
    for (const [at, select] of selects.entries()) {
      select.value = values[at];
      if (!select.value) select.selectedIndex = 0;
    }
    panel.open = kept.open;
  };
  show();
  follow([STATE.telemetry, STATE.synthesis], () => draw());
}

/** @param {Partial<typeof FIRST>} changes */
function keep(changes) {
  Object.assign(kept, changes);
  saveJson(KEY, kept);
}

/** Show the description of a take. @param {string} design */
export function reuseDesign(design) {
  keep({ design, open: true });
  show();
}

/** Speak the text in three new voices, one after another. */
async function designVoices() {
  await restored;
  const engine = designingEngine();
  if (engine) await make({ ...order(engine.name), ...NO_VOICE, seed: null, design: kept.design }, COUNT);
}

/** Speak an order in new voices. Stop when a take is stopped or fails. @param {Order} wanted @param {number} count */
async function make(wanted, count) {
  if (isDesigning || state.synthesis) return;
  isDesigning = true;
  let left = count;
  try {
    while (left && (await speak(wanted, { aloud: false, retry: () => make(wanted, left) }))) left--;
  } finally {
    isDesigning = false;
    draw();
  }
  if (!left) announce("The new voices are in the list of takes.");
}
