/** Unfolds the settings that are seldom touched, and gives the seed back to chance. */
import { follow, on } from "./bus.js";
import { h, icon, iconButton, whenThere } from "./dom.js";
import { chosen } from "./engine.js";
import * as fields from "./fields.js";
import { between } from "./words.js";

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

export function mount(element) {
  const button = h(
    "button.quiet.more",
    { type: "button", "aria-expanded": "false", "aria-controls": "more-settings", onclick: () => unfold(button) },
    icon("down"),
    "More",
  );
  const chance = iconButton("again", "Draw a new seed for every take", () => fields.write("seed", null));
  element.append(h("div.more-controls", {}, chance, button));
  on("reveal", (field) => {
    if (fields.SETTINGS.includes(field) && field !== "speed" && !document.querySelector("#settings.open")) unfold(button);
  });
  const draw = () => (chance.disabled = fields.number("seed") === null);
  on("field", draw);
  fields.ready.then(draw);
  follow("engine", explain);
}

/** What each setting is, and between which values the chosen engine takes it, once that is known. */
function explain() {
  const told = chosen()?.settings;
  for (const [name, words] of Object.entries(EXPLAINED)) {
    const limits = told?.[name];
    const title = limits ? `${words} ${between(limits)}.` : words;
    whenThere(`#${name}`).then((field) => (field.title = title));
  }
}

function unfold(button) {
  const open = document.getElementById("settings").classList.toggle("open");
  button.setAttribute("aria-expanded", String(open));
  button.lastChild.textContent = open ? "Less" : "More";
}
