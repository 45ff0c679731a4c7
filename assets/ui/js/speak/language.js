/** The language of the text. It is shown if the checkpoint of the chosen engine speaks several languages. */
import { follow } from "../core/bus.js";
import { h, icon } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { languageName } from "../core/format.js";
import { setLanguage, state } from "../core/state.js";
import { chosen } from "./engine.js";

/** Return the field with the languages of the chosen engine. The field follows the engine and the chosen language. */
export function languageField() {
  const choice = h("select");
  choice.addEventListener("change", () => setLanguage(choice.value));
  const field = h("label.language", {}, h("span.hint", {}, "Language"), h("span.select", {}, choice, icon("down")));
  follow([STATE.engine, STATE.language], () => draw(field, choice));
  draw(field, choice);
  return field;
}

/** @param {HTMLElement} field @param {HTMLSelectElement} choice */
function draw(field, choice) {
  const languages = chosen()?.languages ?? [];
  const { language } = state;
  // A stated language that the engine lacks stays visible, so that the user can change it.
  const listed = language && !languages.includes(language) ? [...languages, language] : languages;
  choice.replaceChildren(
    h("option", { value: "" }, "Detect"),
    ...listed.map((tag) => h("option", { value: tag }, languageName(tag))),
  );
  choice.value = language;
  field.hidden = listed.length < 2;
}
