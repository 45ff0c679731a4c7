/**
 * Messages that need an answer. They are part of the page's layout, so that they cover nothing, and stay until
 * answered.
 */
import { follow } from "./bus.js";
import { announce, front, h, icon, iconButton } from "./dom.js";
import { page } from "./pages.js";

/** @import { How } from "./toast.js" */
const CHECK_MS = 250;

/**
 * Show a message. Returns a function that removes it.
 * @param {string} text  a sentence @param {How & {action: string}} how
 */
export function notice(text, { failed = false, action, onaction = () => {}, until, holds }) {
  const remove = () => {
    note.remove();
  };
  const act = () => {
    remove();
    onaction();
  };
  const note = h(
    `div.notice-box${failed ? ".failed" : ""}`,
    { role: "group", "aria-label": "Message" },
    icon("warn"),
    h("p", {}, text),
    action && h("button.quiet.small", { type: "button", onclick: act }, action),
    iconButton("close", "Dismiss", remove),
  );
  for (const other of document.querySelectorAll(".notice-box"))
    if (other.querySelector("p")?.textContent === text) other.remove();
  place(note);
  announce(text, failed);
  if (until) once(until, remove);
  if (holds) leaveWith(note, holds);
  return remove;
}

/** Put a message into the open dialog, or into the place for messages on the page. @param {HTMLElement} note */
function place(note) {
  const dialog = front().querySelector(".sheet-body");
  const named = document.querySelector(`#page-${page()} .notice-place`);
  if (dialog) dialog.after(note);
  else if (named) named.append(note);
  else document.querySelector(`#page-${page()}`)?.prepend(note);
  note.scrollIntoView({ block: "nearest" });
}

/** Remove a message when its cause ends. @param {HTMLElement} note @param {() => boolean} holds */
function leaveWith(note, holds) {
  const check = () => {
    if (!holds()) note.remove();
    else if (note.isConnected) setTimeout(check, CHECK_MS);
  };
  setTimeout(check, CHECK_MS);
}

/** Call `act` at the next change of a state. @param {import("./events.js").StateName} state @param {() => void} act */
function once(state, act) {
  let isNow = true;
  follow(state, () => isNow || act());
  isNow = false;
}
