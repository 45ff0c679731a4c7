/** Replaces the content of an element that is drawn again while the user works in it. */

const CONTROLS = "button, a, summary, input, select, [tabindex]";

/**
 * Replace the content. The focused control keeps the focus if the new content has a control with the same name, and
 * opened details stay open.
 * @param {HTMLElement} element @param {(Node | string | null | false)[]} content
 */
export function redraw(element, content) {
  const focused = document.activeElement;
  const inside = focused instanceof HTMLElement && focused !== element && element.contains(focused);
  const [name, place] = inside ? placeOf(element, focused) : ["", 0];
  const open = new Set([...element.querySelectorAll("details[open]")].map(titleOf));
  element.replaceChildren(.../** @type {Node[]} */ (content.filter(Boolean)));
  for (const details of element.querySelectorAll("details"))
    if (open.has(titleOf(details)) && !details.open) details.open = true;
  if (inside) controls(element, name)[place]?.focus({ preventScroll: true });
}

/** @param {HTMLElement} element @param {HTMLElement} focused @returns {[string, number]} */
function placeOf(element, focused) {
  const name = nameOf(focused);
  return [name, controls(element, name).indexOf(focused)];
}

/** @param {HTMLElement} element @param {string} name */
function controls(element, name) {
  const every = /** @type {HTMLElement[]} */ ([...element.querySelectorAll(CONTROLS)]);
  return every.filter((one) => nameOf(one) === name);
}

/** @param {HTMLElement} control */
function nameOf(control) {
  return `${control.tagName} ${control.dataset.name ?? control.getAttribute("aria-label") ?? control.textContent}`;
}

/** @param {Element} details */
function titleOf(details) {
  return /** @type {HTMLElement} */ (details).dataset.name ?? "";
}
