/** Short messages over the strip: one sentence and at most one button. */
import { announce, front, h, iconButton } from "./dom.js";

const STAYS_MS = 8000;
const FAILURE_STAYS_MS = 14000;
const MOST = 3; // on the page at once
let shelf = null;

/**
 * @param {string} text  a sentence
 * @param {{failed?: boolean, action?: string, onaction?: () => void}} how
 */
export function toast(text, { failed = false, action = "", onaction = null } = {}) {
  shelf ??= h("section.toasts", { "aria-label": "Messages" });
  if (shelf.parentNode !== front()) front().append(shelf);
  const remove = () => note.remove();
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
  [...shelf.children]
    .filter((other) => other.querySelector("p").textContent === text)
    .forEach((other) => other.remove());
  shelf.append(note);
  [...shelf.children].slice(0, -MOST).forEach((oldest) => oldest.remove());
  announce(text, failed);
  if (!action) leaveAfter(note, failed ? FAILURE_STAYS_MS : STAYS_MS); // what can be done about it is not taken away
}

/** What failed is past once it is tried anew. */
export function clearFailures() {
  shelf?.querySelectorAll(".failed").forEach((note) => note.remove());
}

/** Go a while after it was first painted, but never while someone reads or reaches for it, or the page is out of sight. */
function leaveAfter(note, time_ms) {
  const leave = () => {
    if (document.hidden) requestAnimationFrame(() => setTimeout(leave, time_ms));
    else if (note.matches(":hover, :focus-within")) setTimeout(leave, 2000);
    else note.remove();
  };
  requestAnimationFrame(() => setTimeout(leave, time_ms)); // frames come only while the page is seen
}
