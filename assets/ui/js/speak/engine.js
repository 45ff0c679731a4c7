/**
 * The chosen engine: shows its settings, its strengths and the licence of its weights, and hides the settings of the
 * others.
 */
import { changed, follow } from "../core/bus.js";
import { byId, h, whenPresent } from "../core/dom.js";
import { STATE } from "../core/events.js";
import * as fields from "../core/fields.js";
import { engineOf, unavailable } from "../core/state.js";

let shown = ""; // JSON of the data that is shown

/** Return the status of the chosen engine; null until the studio has answered. */
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
 * Mark the engines that failed to load, with the reason. They stay selectable, because their settings and takes are
 * still useful.
 * @param {HTMLElement} choice
 */
function mark(choice) {
  for (const input of choice.querySelectorAll("input")) {
    const why = unavailable(input.value);
    const label = /** @type {HTMLElement} */ (input.closest("label"));
    label.classList.toggle("unavailable", Boolean(why));
    label.title = why; // screen readers use it as the description
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
  const approximate =
    engine.likeness && "The built-in model speaks English only. The voice is similar, not identical. ";
  about.replaceChildren(`${engine.good_at} ${approximate}`, terms);
  changed(STATE.engine);
}
