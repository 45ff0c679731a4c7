/** What Gradio's own markup leaves out for people who use a screen reader. */
import { whenPresent } from "../core/dom.js";

const ATTRIBUTES = [
  ["#transcript textarea", "spellcheck", "true"],
  ["#engine", "aria-label", "Engine"],
  ["#speed input[type=number]", "aria-label", "Speed"],
  ["#speed input[type=range]", "aria-label", "Speed, as a slider"],
  ["#script textarea", "aria-label", "Script"],
];

export function completeMarkup() {
  document.documentElement.lang = "en";
  for (const [selector, name, value] of ATTRIBUTES)
    whenPresent(selector).then((element) => element.setAttribute(name, value));
}
