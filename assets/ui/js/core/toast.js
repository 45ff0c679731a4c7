/** Short messages in the strip: one sentence and at most one button. They disappear after some seconds. */
import { follow } from "./bus.js";
import { announce, h, iconButton, messagePlace } from "./dom.js";
import { STATE } from "./events.js";
import { notice } from "./notice.js";
import { page } from "./pages.js";

/** @import { StateName } from "./events.js" */
/**
 * @typedef {object} How
 * @property {boolean} [failed]  whether it reports an error
 * @property {string} [action]  label of the button
 * @property {string} [hint]  longer description of the action
 * @property {() => unknown} [onaction]
 * @property {boolean} [stays]  whether the message needs an answer; default: true for an error with an action
 * @property {StateName} [until]  state whose change removes a message that stays
 * @property {() => boolean} [holds]  whether the cause still exists; the message is removed when it ends
 */

const STAYS_MS = 8000;
const CHECK_MS = 250;
/** @type {HTMLElement | null} */
let holder = null;

/**
 * Show a message on this page. Returns a function that removes it.
 * @param {string} text  a sentence @param {How} how
 */
export function toast(text, how = {}) {
  const { failed = false, action = "", hint = "", onaction = () => {}, stays = Boolean(failed && action) } = how;
  const { holds = () => true } = how;
  if (stays) return notice(text, { ...how, action, onaction });
  const remove = () => {
    note.remove();
  };
  const act = () => {
    remove();
    onaction();
  };
  const note = h(
    `div.toast${failed ? ".failed" : ""}`,
    { "data-page": page() },
    h("p", { title: text }, text),
    action && h("button.link", { type: "button", title: hint || null, onclick: act }, action),
    iconButton("close", "Dismiss", remove),
  );
  show(note);
  announce(text, failed);
  leave(note, holds);
  return remove;
}

/**
 * Show a message. It replaces an earlier message of the same page; the Undo of that message stays in the menu.
 * @param {HTMLElement} note
 */
function show(note) {
  if (!holder) {
    holder = h("section.toasts", { "aria-label": "Messages" });
    follow(STATE.page, drawPage);
  }
  const place = messagePlace();
  if (holder.parentNode !== place) place.append(holder);
  for (const other of notes()) if (other.dataset.page === note.dataset.page) other.remove();
  holder.append(note);
}

function notes() {
  return /** @type {HTMLElement[]} */ ([...(holder?.children ?? [])]);
}

/** Show the messages of the current page only. */
function drawPage() {
  for (const note of notes()) note.hidden = note.dataset.page !== page();
}

/** Remove the messages of earlier failed attempts, when a new attempt begins. */
export function clearFailures() {
  for (const note of document.querySelectorAll(".toast.failed, #page-speak .notice-box.failed")) note.remove();
}

/**
 * Remove a message after its time, also while another page is shown, or when its cause ends. It stays while it is
 * hovered or focused.
 * @param {HTMLElement} note @param {() => boolean} holds
 */
function leave(note, holds) {
  let [left, last] = [STAYS_MS, performance.now()];
  const tick = () => {
    const now = performance.now();
    if (!document.hidden && !note.matches(":hover, :focus-within")) left -= now - last;
    last = now;
    if (left <= 0 || !holds()) note.remove();
    else if (note.isConnected) setTimeout(tick, Math.min(left, CHECK_MS));
  };
  setTimeout(tick, CHECK_MS);
}
