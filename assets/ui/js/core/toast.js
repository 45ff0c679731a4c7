/** Short messages in the place of the strip: one sentence and at most one button. They leave by themselves. */
import { follow } from "./bus.js";
import { announce, front, h, iconButton } from "./dom.js";
import { STATE } from "./events.js";
import { notice } from "./notice.js";
import { page } from "./pages.js";

/** @import { StateName } from "./events.js" */
/**
 * @typedef {object} How
 * @property {boolean} [failed]  whether it is about an error
 * @property {string} [action]  what the button does
 * @property {string} [hint]  the same in more words
 * @property {() => unknown} [onaction]
 * @property {boolean} [stays]  whether it needs an answer; an error with an action does
 * @property {StateName} [until]  what ends the cause of one that stays
 */

const STAYS_MS = 8000;
const CHECK_MS = 250;
/** @type {HTMLElement | null} */
let holder = null;

/** Show a message on this page; return what takes it away. @param {string} text  a sentence @param {How} how */
export function toast(text, how = {}) {
  const { failed = false, action = "", hint = "", onaction = () => {}, stays = Boolean(failed && action) } = how;
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
  leave(note);
  return remove;
}

/** One at a time on each page: an undo that is replaced is still in the menu. @param {HTMLElement} note */
function show(note) {
  if (!holder) {
    holder = h("section.toasts", { "aria-label": "Messages" });
    follow(STATE.page, drawPage);
  }
  const place = front().querySelector(".sheet-frame") ?? document.body;
  if (holder.parentNode !== place) place.append(holder);
  for (const other of notes()) if (other.dataset.page === note.dataset.page) other.remove();
  holder.append(note);
}

function notes() {
  return /** @type {HTMLElement[]} */ ([...(holder?.children ?? [])]);
}

/** Messages stay on their page. */
function drawPage() {
  for (const note of notes()) note.hidden = note.dataset.page !== page();
}

/** Failed attempts are past once a new one begins. */
export function clearFailures() {
  for (const note of document.querySelectorAll(".toast.failed, #page-speak .notice-box.failed")) note.remove();
}

/** Let a message go when it was in sight for long enough, but not under the pointer or the focus. @param {HTMLElement} note */
function leave(note) {
  let [left, last] = [STAYS_MS, performance.now()];
  const tick = () => {
    const now = performance.now();
    if (!document.hidden && !note.hidden && !note.matches(":hover, :focus-within")) left -= now - last;
    last = now;
    if (left <= 0) note.remove();
    else if (note.isConnected) setTimeout(tick, Math.min(left, CHECK_MS));
  };
  setTimeout(tick, CHECK_MS);
}
