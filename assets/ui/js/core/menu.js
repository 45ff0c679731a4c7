/** A button that opens a short list of links or actions; arrow keys move in it, Escape closes it. */
import { h } from "./dom.js";

/** An action in a menu. @param {string} words @param {() => unknown} onclick */
export function entry(words, onclick) {
  return h("button", { type: "button", onclick }, words);
}

/** @typedef {(refocus: boolean) => void} Close */

/**
 * @param {HTMLButtonElement} button  already labelled
 * @param {() => HTMLElement[]} items  made anew at each opening
 */
export function menu(button, items) {
  const list = h("div.menu", { role: "menu", hidden: true });
  const holder = h("div.menu-holder", {}, button, list);
  /** @type {Close} */
  const close = (refocus) => {
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
    if (refocus) button.focus();
  };
  button.setAttribute("aria-haspopup", "menu");
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", () => {
    if (!list.hidden) return close(true);
    const entries = items();
    list.replaceChildren(...entries);
    for (const item of entries) Object.assign(item, { tabIndex: -1, role: "menuitem" });
    list.hidden = false;
    list.classList.remove("from-left");
    list.classList.toggle("from-left", list.getBoundingClientRect().left < 0);
    button.setAttribute("aria-expanded", "true");
    entries[0].focus();
  });
  list.addEventListener("click", () => close(true), true); // first, so that a dialog gives the focus back to the button
  holder.addEventListener(
    "focusout",
    (event) => holder.contains(/** @type {Node} */ (event.relatedTarget)) || close(false),
  );
  holder.addEventListener("keydown", (event) => !list.hidden && key(event, list, close));
  return holder;
}

/** @param {KeyboardEvent} event @param {HTMLElement} list @param {Close} close */
function key(event, list, close) {
  const items = /** @type {HTMLElement[]} */ ([...list.children]);
  const now = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const next = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: items.length - 1 }[event.key];
  if (event.key === "Escape") close(true);
  else if (next !== undefined) items.at(next % items.length)?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
