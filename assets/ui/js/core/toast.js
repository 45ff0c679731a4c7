/** Short messages over the strip: one sentence and at most one button. */
import { announce, front, h, iconButton } from "./dom.js";

const STAYS_MS = 8000;
const FAILURE_STAYS_MS = 14000;
const MOST = 3; // on the page at once
/** @type {HTMLElement | null} */
let holder = null;

/**
 * Returns what takes it away.
 * @param {string} text  a sentence
 * @param {{failed?: boolean, action?: string, onaction?: () => unknown}} how
 */
export function toast(text, { failed = false, action = "", onaction = () => {} } = {}) {
  holder ??= h("section.toasts", { "aria-label": "Messages" });
  if (holder.parentNode !== front()) front().append(holder);
  const remove = () => {
    note.remove();
  };
  const act = () => {
    remove();
    onaction();
  };
  const note = h(
    `div.toast${failed ? ".failed" : ""}`,
    {},
    h("p", {}, text),
    action && h("button.link", { type: "button", onclick: act }, action),
    iconButton("close", "Dismiss", remove),
  );
  for (const other of [...holder.children]) if (other.querySelector("p")?.textContent === text) other.remove();
  holder.append(note);
  for (const oldest of [...holder.children].slice(0, -MOST)) oldest.remove();
  announce(text, failed);
  if (!action) leaveAfter(note, failed ? FAILURE_STAYS_MS : STAYS_MS); // what can be done about it is not taken away
  return remove;
}

/** What failed is past once it is tried anew. */
export function clearFailures() {
  for (const note of holder?.querySelectorAll(".failed") ?? []) note.remove();
}

/**
 * Go a while after it was first painted, but never while someone reads or reaches for it, or the page is out of sight.
 * @param {HTMLElement} note @param {number} time_ms
 */
function leaveAfter(note, time_ms) {
  const leave = () => {
    if (document.hidden) requestAnimationFrame(() => setTimeout(leave, time_ms));
    else if (note.matches(":hover, :focus-within")) setTimeout(leave, 2000);
    else note.remove();
  };
  requestAnimationFrame(() => setTimeout(leave, time_ms)); // frames come only while the page is seen
}
