/**
 * Moves the focus after a click from the button to the main element of the page, so that Space and Enter stay shortcuts
 * of the page. A button that is activated by key keeps the focus.
 */
import { page } from "./pages.js";

/** @import { PageName } from "./pages.js" */
/** @typedef {() => HTMLElement | null} Place */

const PRESSED = "button, summary, [role=slider]";

/**
 * Pages with their own shortcuts, which would not reach the page from a focused button.
 * @type {Set<PageName | undefined>}
 */
const KEYED = new Set(["speak", "script", "compare"]);

/** The element of each page that gets the focus after a click. @type {Map<PageName | undefined, Place>} */
const places = new Map();

/** @param {PageName} name @param {Place} place */
export function setFocusPlace(name, place) {
  places.set(name, place);
}

/**
 * Start moving the focus after clicks. It moves before the click has its effect, so that a dialog that closes later returns
 * the focus to that element.
 */
export function moveFocusAfterClicks() {
  document.addEventListener(
    "click",
    ({ detail, target }) => {
      const pressed = detail > 0 ? /** @type {Element} */ (target).closest(PRESSED) : null; // 0: activated by key
      if (!(pressed instanceof HTMLElement) || pressed.closest("dialog, [aria-haspopup=menu]")) return undefined;
      if (!KEYED.has(page())) return opener(pressed)?.focus({ preventScroll: true });
      /** @type {HTMLElement | null} */
      const row = pressed.closest("li[tabindex]");
      const place = places.get(page())?.() ?? row;
      return place ? place.focus({ preventScroll: true }) : pressed.blur();
    },
    true,
  );
}

/** Return the button that opened the menu of this entry. @param {HTMLElement} pressed @returns {HTMLElement | null} */
function opener(pressed) {
  return pressed.closest(".menu-holder")?.querySelector(":scope > [aria-haspopup=menu]") ?? null;
}
