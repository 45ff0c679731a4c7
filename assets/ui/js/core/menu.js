/** A button that opens a menu of links or actions. Arrow keys move in the menu, Escape closes it. */
import { h } from "./dom.js";

/** Return an action for a menu. @param {string} words @param {() => unknown} onclick @param {string} title */
export function entry(words, onclick, title = "") {
  return h("button", { type: "button", onclick, title: title || null }, words);
}

/** @typedef {(refocus: boolean) => void} Close */

/**
 * @param {HTMLButtonElement} button  needs a label
 * @param {() => HTMLElement[]} items  called each time the menu opens
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
  // Close the menu before its action runs, so that a dialog returns the focus to the button. After a click,
  // click-focus.js sets the focus.
  list.addEventListener("click", ({ detail }) => close(detail === 0), true);
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
