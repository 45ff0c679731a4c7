/** Shortcuts of the Script page, for the grid and the rest of the page. */

import { page } from "../core/pages.js";
import { redo, undo } from "../core/undo.js";
import { openHelp } from "../frame/help.js";
import * as acts from "./acts.js";
import { addLine } from "./adding.js";
import { edit, toText } from "./editor.js";
import { playLines } from "./play-through.js";
import { moveTo, selectAll, step, toggleBlind, view } from "./view.js";

/** @import { Grid } from "./grid.js" */
/** @typedef {{grid: Grid, find: () => void, note: () => void, render: () => unknown}} Controls */

const TYPING = "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio])";
const PRESSED = "button, a, summary, input, [role=slider], [role=menuitem]";

/** @param {HTMLElement} root @param {Controls} controls */
export function listenForScriptKeys(root, controls) {
  document.addEventListener(
    "keydown",
    (event) => {
      const target = /** @type {Element} */ (event.target);
      if (page() !== "script" || document.querySelector("dialog[open]") || event.defaultPrevented) return;
      if (target !== document.body && !root.contains(target)) return;
      const act = event.ctrlKey || event.metaKey ? chord(event, target, controls) : plain(event, target, controls);
      if (!act) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    },
    true,
  );
}

/** @param {KeyboardEvent} event @param {Element} target @param {Controls} controls */
function chord({ key, shiftKey }, target, { grid, find, render }) {
  if (key.toLowerCase() === "f") return find;
  if (target.closest(TYPING)) return null;
  const back = shiftKey ? redo : undo;
  /** @type {Record<string, () => unknown>} */
  const acts = {
    a: () => selectAll(),
    z: back,
    y: redo,
    Enter: render,
    Home: () => leap(grid, -Infinity),
    End: () => leap(grid, Infinity),
  };
  return acts[key.length === 1 ? key.toLowerCase() : key];
}

/** @param {KeyboardEvent} event @param {Element} target @param {Controls} controls */
function plain(event, target, controls) {
  const { key, altKey } = event;
  if (altKey || target.closest(TYPING)) return null;
  if ([" ", "Enter"].includes(key) && target.closest(PRESSED)) return null; // the key activates the focused element
  if (target.closest("[role=slider], [role=separator], .menu")) return null;
  const named = key.length === 1 ? key.toLowerCase() : key;
  if (target.closest(".takes-of-line") && ["ArrowLeft", "ArrowRight"].includes(named))
    return () => acts.playNext(named === "ArrowLeft" ? -1 : 1);
  if (/^[1-9]$/.test(named)) return () => acts.playDigit(Number(named));
  if (named === "?") return openHelp;
  return moves(event, controls.grid)[named] ?? does(controls)[named];
}

/** @param {KeyboardEvent} event @param {Grid} grid @returns {Record<string, () => unknown>} */
function moves({ shiftKey: extend }, grid) {
  const go =
    (/** @type {number} */ down, /** @type {number} */ right = 0) =>
    () => {
      step(down, right, { extend });
      grid.reveal();
    };
  return {
    ArrowUp: go(-1),
    ArrowDown: go(1),
    ArrowLeft: go(0, -1),
    ArrowRight: go(0, 1),
    PageUp: go(-grid.page),
    PageDown: go(grid.page),
    Home: go(0, -Infinity),
    End: go(0, Infinity),
    j: go(1),
    k: go(-1),
  };
}

/** @param {Controls} controls @returns {Record<string, () => unknown>} */
function does({ grid, find, note }) {
  return {
    Enter: () => edit(grid),
    F2: () => edit(grid),
    e: () => toText(grid),
    a: () => addLine(grid),
    " ": () => acts.playLine(),
    s: () => acts.mark("select"),
    h: () => acts.mark("hold"),
    r: () => acts.mark("retake"),
    u: () => acts.unmark(),
    t: playLines,
    n: note,
    b: toggleBlind,
    x: () => moveTo(view.line, view.column, { toggle: true }),
    "/": find,
    Delete: acts.discard,
    Escape: () => selectAll(false),
  };
}

/** Move to the first or last line. @param {Grid} grid @param {number} down */
function leap(grid, down) {
  step(down);
  grid.reveal();
}
