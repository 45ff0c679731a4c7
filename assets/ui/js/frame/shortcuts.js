/** Keyboard shortcuts while the user does not type. Ctrl+Enter and Escape always work. */
import { openKeeper } from "../champions/editor.js";
import { isComparing, switchTo, toggleCompare, toggle as toggleTray } from "../compare/tray.js";
import { page } from "../core/pages.js";
import { state } from "../core/state.js";
import { redo, undo } from "../core/undo.js";
import { pageKeys } from "../islands.js";
import { speak, stop } from "../speak/synthesis.js";
import { selectedRow, step } from "../takes/list.js";
import { playThrough } from "../takes/selection.js";
import { star } from "../takes/takes.js";
import { search } from "../takes/tools.js";
import { openHelp } from "./help.js";

/** @type {Record<string, (event: KeyboardEvent) => unknown>} */
const SPEAK = {
  j: ({ shiftKey }) => step(1, shiftKey),
  k: ({ shiftKey }) => step(-1, shiftKey),
  t: playThrough,
  s: () => state.selected && star(state.selected),
  r: () => selectedRow()?.reroll(),
  c: () => state.selected && toggleCompare(state.selected),
  p: () => state.selected && openKeeper(state.selected),
  x: () => switchTo(),
  "/": () => search.focus(),
  " ": () => (isComparing() ? toggleTray() : (selectedRow() ?? { toggle: () => step(0) }).toggle()),
};

const TYPING = "textarea, select, [contenteditable], input:not([type=radio], [type=range], [type=checkbox])";
const PRESSED = "button, summary, input, [role=slider], [role=menuitem]";
/** @type {Record<string, string>} */
const PRESSED_BY = { " ": PRESSED, Enter: `${PRESSED}, a` }; // Space does not activate links

/** Return undo or redo for their keys, which work on every page. @param {KeyboardEvent} event */
function undoKey({ key, shiftKey }) {
  if (key.toLowerCase() === "y") return redo;
  if (key.toLowerCase() !== "z") return null;
  return shiftKey ? redo : undo;
}

export function listenForKeys() {
  document.addEventListener("keydown", (event) => {
    const act = document.querySelector("dialog[open]") ? null : actOf(event);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act(event);
  });
}

/**
 * Return the action of a key; null if the key is no shortcut.
 * @param {KeyboardEvent} event @returns {((event: KeyboardEvent) => unknown) | null | undefined}
 */
function actOf(event) {
  const { key } = event;
  const target = /** @type {Element} */ (event.target);
  if (key === "Enter" && (event.ctrlKey || event.metaKey)) return () => speak();
  if (key === "Escape" && state.synthesis) return stop;
  if (target.closest(TYPING) || event.altKey) return null;
  if (event.ctrlKey || event.metaKey) return undoKey(event);
  if (key === "?") return openHelp;
  if (target.closest("[data-shortcuts=off]")) return null; // the listening sessions: keys must not vote in the pair player
  if (event.defaultPrevented || (event.repeat && page() === "compare")) return null; // a held key must not vote
  if (PRESSED_BY[key] && target.closest(PRESSED_BY[key])) return null; // the key activates the focused element
  const keys = page() === "speak" ? SPEAK : pageKeys();
  return keys?.[key.length === 1 ? key.toLowerCase() : key];
}
