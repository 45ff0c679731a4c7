/** Making elements, and telling screen readers once. */
import { at } from "./address.js";
import { ICONS } from "./icons.js";

const LINKS = new Set(["href", "src"]);

/**
 * An element with attributes, listeners (`onclick`) and children. False and null are left out.
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
    else element.setAttribute(key, value === true ? "" : LINKS.has(key) ? at(String(value)) : String(value));
  }
  element.append(.../** @type {(string | Node)[]} */ (children.flat().filter(isShown)));
  return /** @type {ElementOf<Tag>} */ (element);
}

/** @param {Child} child */
function isShown(child) {
  return child !== null && child !== undefined && child !== false;
}

/** An icon of icons.js; decoration, so the button around it carries the words. @param {keyof typeof ICONS} name */
export function icon(name) {
  const holder = document.createElement("template");
  holder.innerHTML = `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${ICONS[name]}</svg>`;
  return /** @type {SVGElement} */ (holder.content.firstElementChild);
}

/**
 * A button that shows only an icon.
 * @param {keyof typeof ICONS} name
 * @param {string} label  what it does, read aloud and shown on hover
 * @param {((event: MouseEvent) => unknown) | null} onclick
 * @param {Attributes} attributes
 */
export function iconButton(name, label, onclick = null, attributes = {}) {
  return h(
    "button.icon-button",
    { type: "button", "aria-label": label, title: label, onclick: onclick ?? undefined, ...attributes },
    icon(name),
  );
}

/**
 * The first element that fits, as soon as Gradio has put it on the page.
 * @template {HTMLElement} [Found=HTMLElement]
 * @param {string} selector
 * @returns {Promise<Found>}
 */
export function whenPresent(selector) {
  const present = /** @type {Found | null} */ (document.querySelector(selector));
  if (present) return Promise.resolve(present);
  return new Promise((resolve) => {
    const watch = new MutationObserver(() => {
      const found = /** @type {Found | null} */ (document.querySelector(selector));
      if (!found) return;
      watch.disconnect();
      resolve(found);
    });
    watch.observe(document.documentElement, { childList: true, subtree: true });
  });
}

/** Make these the children, in this order. Elements that stay in their place keep the focus. @param {Element} parent @param {Element[]} children */
export function arrange(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  children.forEach((child, place) => {
    if (parent.children[place] !== child) parent.insertBefore(child, parent.children[place] ?? null);
  });
}

/** An element that this page has in any case. @param {string} id */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** What lies in front: an open dialog, beside which nothing is pressed or read, or else the page. */
export function front() {
  return document.querySelector("dialog[open]") ?? document.body;
}

/** @type {HTMLElement[] | null} */
let regions = null; // polite, assertive

/** Reads a sentence aloud to screen readers, once. @param {string} sentence @param {boolean} urgent  interrupts */
export function announce(sentence, urgent = false) {
  regions ??= [false, true].map((assertive) =>
    h("div.sr-only", { "aria-live": assertive ? "assertive" : "polite", role: assertive ? "alert" : "status" }),
  );
  const region = regions[urgent ? 1 : 0];
  if (region.parentNode !== front()) front().append(region);
  region.textContent = "";
  requestAnimationFrame(() => {
    region.textContent = sentence;
  });
}
