/** Adds attributes for screen readers that Gradio's markup lacks. */
import { whenPresent } from "../core/dom.js";
import { SLIDERS } from "../core/fields.js";

const ATTRIBUTES = [
  ["#transcript textarea", "spellcheck", "true"],
  ["#engine", "aria-label", "Engine"],
  ...SLIDERS.flatMap(({ name, label }) => [
    [`#${name} input[type=number]`, "aria-label", label],
    [`#${name} input[type=range]`, "aria-label", `${label}, as a slider`],
  ]),
  ["#script textarea", "aria-label", "Text"],
];

export function completeMarkup() {
  document.documentElement.lang = "en";
  for (const [selector, name, value] of ATTRIBUTES)
    whenPresent(selector).then((element) => element.setAttribute(name, value));
}
