/** What to look at in lines: badges in their rows, sentences beside their takes. */
import { h, icon } from "../core/dom.js";
import { desk } from "./desk.js";

/** A badge of a row: a sign and a label; the sentence is in its title and beside the line's takes. @param {LineNote} note */
export function badge({ label, text, role }) {
  const words = role === "text" ? h("span", {}, label) : h("span.sr-only", {}, label);
  return h("span.line-badge", { title: text }, icon("warn"), words, " ");
}

/** The lines of the open sheet that have notes, in the sheet's order. @returns {Map<string, LineNote[]>} */
export function notedLines() {
  const found = new Map();
  for (const { key, deleted, notes = [] } of desk.lines.values()) if (!deleted && notes.length) found.set(key, notes);
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
