/** Creates elements, and announces sentences to screen readers. */
/** @import { Attributes, Child, ElementOf } from "./types.d.ts" */

const PATHS = { play: "M7 4.5v15l12.5-7.5z", pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z" };
const SVG = "http://www.w3.org/2000/svg";

/**
 * Create an element with attributes, listeners (`onclick`) and children. False and null are left out.
 * @template {string} Tag
 * @param {Tag} tag  with optional classes: "button.quiet"
 * @param {Attributes} attributes
 * @param {(Child | Child[])[]} children
 * @returns {ElementOf<Tag>}
 */
export function h(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(.../** @type {(string | Node)[]} */ (children.flat().filter(isShown)));
  return /** @type {ElementOf<Tag>} */ (element);
}

/** @param {Child} child */
function isShown(child) {
  return child !== null && child !== undefined && child !== false;
}

/** Return an icon, hidden from screen readers. @param {keyof typeof PATHS} name */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of [
    ["viewBox", "0 0 24 24"],
    ["class", "icon"],
    ["aria-hidden", "true"],
  ])
    svg.setAttribute(key, value);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/**
 * Return a button with its key. After a click by mouse or finger the button loses the focus, so that keys stay shortcuts
 * of the page.
 * @param {string} tag @param {string | Child[]} words @param {string} key  as shown; "" if there is none
 * @param {() => unknown} act @param {Attributes} attributes
 */
export function keyButton(tag, words, key, act, attributes = {}) {
  const onclick = (/** @type {MouseEvent} */ { detail }) => {
    if (detail) button.blur();
    act();
  };
  const button = /** @type {HTMLButtonElement} */ (
    h(tag, { type: "button", onclick, ...attributes }, ...[words].flat(), key && kbd(key))
  );
  return button;
}

/** @param {string} key */
export function kbd(key) {
  return h("kbd", { "aria-hidden": "true" }, key);
}

/** Announce a sentence once. @param {string} sentence */
export function announce(sentence) {
  const region = /** @type {HTMLElement} */ (document.getElementById("status"));
  region.textContent = "";
  requestAnimationFrame(() => {
    region.textContent = sentence;
  });
}

/** @param {number} value @param {number} least @param {number} most */
export function clamp(value, least, most) {
  return Math.min(Math.max(value, least), most);
}
