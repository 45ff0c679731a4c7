/** Creates elements, and announces messages to screen readers. */
import { at } from "./address.js";
import { ICONS } from "./icons.js";

const LINKS = new Set(["href", "src"]);

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
    else element.setAttribute(key, value === true ? "" : LINKS.has(key) ? at(String(value)) : String(value));
  }
  element.append(.../** @type {(string | Node)[]} */ (children.flat().filter(isShown)));
  return /** @type {ElementOf<Tag>} */ (element);
}

/** @param {Child} child */
function isShown(child) {
  return child !== null && child !== undefined && child !== false;
}

/**
 * Return an icon of icons.js. It is hidden from screen readers, so the button needs a label.
 * @param {keyof typeof ICONS} name
 */
export function icon(name) {
  const holder = document.createElement("template");
  holder.innerHTML = `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${ICONS[name]}</svg>`;
  return /** @type {SVGElement} */ (holder.content.firstElementChild);
}

/**
 * Return a button that shows only an icon.
 * @param {keyof typeof ICONS} name
 * @param {string} label  read by screen readers and shown on hover
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
 * Resolves to the first element that matches, as soon as Gradio adds it to the page.
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

/**
 * Set the children of an element, in this order. Elements that stay in their place keep the focus.
 * @param {Element} parent @param {Element[]} children
 */
export function arrange(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  children.forEach((child, place) => {
    if (parent.children[place] !== child) parent.insertBefore(child, parent.children[place] ?? null);
  });
}

/** Set the text of an element only if it changes: each change costs a layout, and live regions are read again. @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Disable or enable a button, which keeps the focus: the attribute "disabled" would remove the focus. The listener of
 * the button must return if `isDisabled`.
 * @param {HTMLElement} button @param {boolean} disabled
 */
export function setDisabled(button, disabled) {
  button.setAttribute("aria-disabled", String(disabled));
}

/** @param {HTMLElement} button */
export function isDisabled(button) {
  return button.getAttribute("aria-disabled") === "true";
}

/** Return an element that is always on the page. @param {string} id */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** Return the open dialog, which makes the page inert, or else the page. */
export function front() {
  return document.querySelector("dialog[open]") ?? document.body;
}

/** Return the place for messages: the open dialog, else the strip. */
export function messagePlace() {
  return front().querySelector(".sheet-frame") ?? document.querySelector(".strip") ?? document.body;
}

const READ_MS = 8000; // time after which an announced sentence is removed from the page
/** @type {HTMLElement[] | null} */
let regions = null; // polite, assertive
let said = 0;

/**
 * Announce a sentence to screen readers once. It is removed afterwards.
 * @param {string} sentence
 * @param {boolean} urgent  whether it interrupts other announcements
 */
export function announce(sentence, urgent = false) {
  regions ??= [false, true].map((assertive) =>
    h("div.sr-only", { "aria-live": assertive ? "assertive" : "polite", role: assertive ? "alert" : "status" }),
  );
  const region = regions[urgent ? 1 : 0];
  if (region.parentNode !== front()) front().append(region);
  region.textContent = "";
  said += 1;
  const mine = String(said);
  region.dataset.said = mine;
  const write = (/** @type {string} */ text) => {
    if (region.dataset.said === mine) region.textContent = text;
  };
  requestAnimationFrame(() => write(sentence));
  setTimeout(() => write(""), READ_MS);
}
