/** Keys, while nobody types; Ctrl+Enter and Escape always. */
import { KEYS as CHAMPIONS } from "./champions.js";
import { comparing, hear, toggle as toggleCompared, toggleCompare } from "./compare.js";
import { openKeeper } from "./editor.js";
import { openHelp } from "./help.js";
import { KEYS as LISTENING } from "./listening.js";
import { speak, stop } from "./speak.js";
import { state } from "./state.js";
import { selectedRow, star, step } from "./takes.js";

const SPEAK = {
  j: () => step(1),
  k: () => step(-1),
  s: () => state.selected && star(state.selected),
  r: () => selectedRow()?.reroll(),
  c: () => state.selected && toggleCompare(state.selected),
  p: () => state.selected && openKeeper(state.selected),
  x: () => hear(),
  " ": () => (comparing() ? toggleCompared() : (selectedRow() ?? { toggle: () => step(0) }).toggle()),
};
const KEYS = { speak: SPEAK, compare: LISTENING, champions: CHAMPIONS };

const TYPING = "textarea, select, [contenteditable], input:not([type=radio], [type=range], [type=checkbox])";
const PRESSED = "button, summary, input, [role=slider], [role=menuitem]";
const PRESSED_BY = { " ": PRESSED, Enter: `${PRESSED}, a` }; // Space follows no link

export function hearKeys() {
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return done(event, speak);
    if (event.key === "Escape" && state.performance) return done(event, stop);
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest(TYPING)) return;
    if (event.key === "?") return done(event, openHelp);
    const { page } = document.body.dataset;
    if (event.defaultPrevented || (event.repeat && page === "compare")) return; // holding a key down is no vote
    if (PRESSED_BY[event.key] && event.target.closest(PRESSED_BY[event.key])) return; // it presses what has the focus
    const act = KEYS[page]?.[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (act) done(event, act);
  });
}

function done(event, act) {
  event.preventDefault();
  event.stopPropagation();
  act();
}
