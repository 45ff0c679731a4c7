/** Unfolds the rarely used settings, explains settings, and clears the seed. */
import { follow, on } from "../core/bus.js";
import { byId, h, icon, iconButton, whenPresent } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import * as fields from "../core/fields.js";
import { between } from "../core/format.js";
import { chosen } from "./engine.js";

// Tooltips for technical terms. The engines explain their other settings themselves.
const EXPLAINED = {
  seed: "The same seed and settings give the same take. Leave empty for a random seed.",
  engine: "Model that generates the speech",
};
const FOLDED = fields.SETTINGS.filter((name) => !fields.SLIDERS.some((slider) => slider.name === name));

/** @param {HTMLElement} element */
export function mount(element) {
  const label = new Text("More settings");
  const unfold = () => {
    const open = byId("settings").classList.toggle("open");
    button.setAttribute("aria-expanded", String(open));
    label.data = open ? "Fewer settings" : "More settings";
  };
  const button = h(
    "button.quiet.more",
    { type: "button", "aria-expanded": "false", "aria-controls": "more-settings", onclick: unfold },
    icon("down"),
    label,
  );
  const chance = iconButton("again", "Random seed for every take", () => fields.write("seed", null));
  element.append(h("div.more-controls", {}, chance, button));
  on(EVENT.reveal, (name) => FOLDED.includes(name) && !document.querySelector("#settings.open") && unfold());
  const draw = () => {
    chance.disabled = fields.number("seed") === null;
  };
  on(EVENT.field, draw);
  fields.ready.then(draw);
  follow(STATE.engine, explain);
  follow(STATE.engine, () => {
    const engine = chosen();
    button.hidden = engine !== null && !FOLDED.some((name) => name in engine.settings);
  });
}

/** Set the tooltips of the settings, with the limits of the chosen engine once they are known. */
function explain() {
  const known = Object.values(chosen()?.settings ?? {});
  const explained = known.map((setting) => [setting.name, `${setting.help} ${between(setting)}.`]);
  for (const [name, words] of [...Object.entries(EXPLAINED), ...explained])
    whenPresent(`#${name}`).then((field) => {
      field.title = words;
    });
}
