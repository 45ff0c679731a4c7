/** Unfolds the settings that are seldom touched, and gives the seed back to chance. */
import { follow, on } from "../core/bus.js";
import { byId, h, icon, iconButton, whenPresent } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import * as fields from "../core/fields.js";
import { between } from "../core/format.js";
import { chosen } from "./engine.js";

// One line each, for words only engineers know.
const EXPLAINED = {
  seed: "The same seed with the same settings gives the same take. Empty draws a new one each time.",
  steps: "How often the engine refines the sound (NFE). More is slower and at some point no better.",
  guidance: "How closely the engine keeps to voice and words (CFG). Too much sounds harsh.",
  temperature: "How freely the engine draws. Lower is steadier, higher livelier and at some point slurred.",
  top_p: "The share of the likeliest sounds it draws from. Lower is safer.",
  repetition_penalty: "Above 1, sounds made just now become less likely.",
  speed: "1 is the pace of the reference; 2 is twice as fast.",
  engine: "The model that speaks.",
};
/** @type {string[]} */
const FOLDED = fields.SETTINGS.filter((name) => name !== "speed");

/** @param {HTMLElement} element */
export function mount(element) {
  const label = new Text("More");
  const unfold = () => {
    const open = byId("settings").classList.toggle("open");
    button.setAttribute("aria-expanded", String(open));
    label.data = open ? "Less" : "More";
  };
  const button = h(
    "button.quiet.more",
    { type: "button", "aria-expanded": "false", "aria-controls": "more-settings", onclick: unfold },
    icon("down"),
    label,
  );
  const chance = iconButton("again", "Draw a new seed for every take", () => fields.write("seed", null));
  element.append(h("div.more-controls", {}, chance, button));
  on(EVENT.reveal, (name) => FOLDED.includes(name) && !document.querySelector("#settings.open") && unfold());
  const draw = () => {
    chance.disabled = fields.number("seed") === null;
  };
  on(EVENT.field, draw);
  fields.ready.then(draw);
  follow(STATE.engine, explain);
}

/** What each setting is, and between which values the chosen engine takes it, once that is known. */
function explain() {
  /** @type {Record<string, Limits>} */
  const known = chosen()?.settings ?? {};
  for (const [name, words] of Object.entries(EXPLAINED))
    whenPresent(`#${name}`).then((field) => {
      field.title = known[name] ? `${words} ${between(known[name])}.` : words;
    });
}
