/** Messages that need an answer. They stay in the flow of their page, so that they cover nothing, until they have it. */
import { follow } from "./bus.js";
import { announce, front, h, icon, iconButton } from "./dom.js";
import { page } from "./pages.js";

/** @import { How } from "./toast.js" */

/** Show a message; return what takes it away. @param {string} text  a sentence @param {How & {action: string}} how */
export function notice(text, { failed = false, action, onaction = () => {}, until }) {
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
  return remove;
}

/** Into the open dialog, or the place that the page has for messages. @param {HTMLElement} note */
function place(note) {
  const dialog = front().querySelector(".sheet-body");
  const named = document.querySelector(`#page-${page()} .notice-place`);
  if (dialog) dialog.after(note);
  else if (named) named.append(note);
  else document.querySelector(`#page-${page()}`)?.prepend(note);
  note.scrollIntoView({ block: "nearest" });
}

/** At the next change of a state. @param {import("./events.js").StateName} state @param {() => void} act */
function once(state, act) {
  let isNow = true;
  follow(state, () => isNow || act());
  isNow = false;
}
