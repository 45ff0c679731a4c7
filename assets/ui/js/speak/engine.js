/**
 * The chosen engine: its settings are shown and the others' hidden; what it is good at, how far its weights follow a voice,
 * and their terms.
 */
import { changed, follow } from "../core/bus.js";
import { byId, h, whenPresent } from "../core/dom.js";
import { STATE } from "../core/events.js";
import * as fields from "../core/fields.js";
import { engineOf, unavailable } from "../core/state.js";

let shown = ""; // what was drawn last

/** What the studio tells of the chosen engine; null before it told anything. */
export function chosen() {
  return engineOf(fields.engine());
}

export async function mount() {
  const about = h("p.hint.engine-about", { "aria-live": "polite" });
  (await whenPresent("#more-settings")).before(about);
  await fields.ready;
  const choice = await whenPresent("#engine");
  choice.addEventListener("change", () => draw(about));
  follow(STATE.telemetry, () => draw(about));
  follow(STATE.telemetry, () => mark(choice));
}

/**
 * Which engines failed to load, and why. They stay in reach: their settings and takes are still worth a look.
 * @param {HTMLElement} choice
 */
function mark(choice) {
  for (const input of choice.querySelectorAll("input")) {
    const why = unavailable(input.value);
    const label = /** @type {HTMLElement} */ (input.closest("label"));
    label.classList.toggle("unavailable", Boolean(why));
    label.title = why; // a screen reader's description of the choice, too
  }
}

/** @param {HTMLElement} about */
function draw(about) {
  const engine = chosen();
  const drawn = engine && JSON.stringify([engine.name, engine.state, engine.info?.defaults]);
  if (!engine || drawn === shown) return;
  shown = drawn ?? "";
  for (const name of fields.SETTINGS) {
    byId(name).hidden = !(name in engine.settings);
    fields.input(name).placeholder = String(engine.info?.defaults[name] ?? "default");
  }
  const terms = h("span.licence", {}, `Licence of the weights: ${engine.licence}.`);
  const approximate = engine.likeness && "The built-in weights speak English and approximate the voice. ";
  about.replaceChildren(`${engine.good_at} ${approximate}`, terms);
  changed(STATE.engine);
}
