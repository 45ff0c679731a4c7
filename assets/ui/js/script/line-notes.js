/** Warnings of lines: badges in their rows, and sentences in the panel of the line. */
import { h, icon } from "../core/dom.js";
import { scriptState } from "./state.js";

/**
 * Return a badge for a row: icon and label. The tooltip and the panel of the line contain the full sentence.
 * @param {LineNote} note
 */
export function badge({ label, text, role }) {
  const words = role === "id" ? h("span.sr-only", {}, label) : h("span", {}, label);
  return h("span.line-badge", { title: text }, icon("warn"), words, " ");
}

/** Return the notes of all lines that have some, in the sheet's order. @returns {Map<string, LineNote[]>} */
export function notedLines() {
  const found = new Map();
  for (const { key, deleted, notes = [] } of scriptState.lines.values())
    if (!deleted && notes.length) found.set(key, notes);
  return found;
}

/** @param {HTMLElement} list @param {ScriptLine} line */
export function drawNotes(list, { notes = [] }) {
  list.hidden = !notes.length;
  const drawn = JSON.stringify(notes);
  if (list.dataset.drawn === drawn) return;
  list.dataset.drawn = drawn;
  list.replaceChildren(...notes.map(({ text }) => h("li", {}, icon("warn"), h("span", {}, text))));
}
