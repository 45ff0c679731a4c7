/** Making elements, and telling screen readers once. */
import { ICONS } from "./icons.js";

/**
 * An element with attributes, listeners (`onclick`), properties (`.value`) and children. False and null are left out.
 * @param {string} tag  with optional classes: "button.quiet"
 */
export function h(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key.startsWith(".")) element[key.slice(1)] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An icon of icons.js; decoration, so the button around it carries the words. */
export function icon(name) {
  const holder = document.createElement("template");
  holder.innerHTML = `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${ICONS[name]}</svg>`;
  return holder.content.firstElementChild;
}

/** A button that shows only an icon; `label` is what it does, read aloud and shown on hover. */
export function iconButton(name, label, onclick, attributes = {}) {
  return h(
    "button.icon-button",
    { type: "button", "aria-label": label, title: label, onclick, ...attributes },
    icon(name),
  );
}

export function clamp(value, least, most) {
  return Math.min(Math.max(value, least), most);
}

/** Calls at most once every `wait_ms`, with the last arguments. */
export function debounced(wait_ms, call) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...args), wait_ms);
  };
}

/** The first element that fits, as soon as Gradio has put it on the page. */
export function whenThere(selector) {
  const there = document.querySelector(selector);
  if (there) return Promise.resolve(there);
  return new Promise((resolve) => {
    const watch = new MutationObserver(() => {
      const found = document.querySelector(selector);
      if (!found) return;
      watch.disconnect();
      resolve(found);
    });
    watch.observe(document.documentElement, { childList: true, subtree: true });
  });
}

/** What lies in front: an open dialog, beside which nothing is pressed or read, or else the page. */
export function front() {
  return document.querySelector("dialog[open]") ?? document.body;
}

let voices = null;

/** Reads a sentence aloud to screen readers, once. `urgent` interrupts. */
export function announce(sentence, urgent = false) {
  voices ??= [false, true].map((loud) =>
    h("div.sr-only", { "aria-live": loud ? "assertive" : "polite", role: loud ? "alert" : "status" }),
  );
  const region = voices[urgent ? 1 : 0];
  if (region.parentNode !== front()) front().append(region);
  region.textContent = "";
  requestAnimationFrame(() => (region.textContent = sentence));
}
