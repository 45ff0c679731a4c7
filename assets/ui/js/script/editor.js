/** The editor of a cell. The typed text is kept while the grid changes. */
import { on } from "../core/bus.js";
import { h } from "../core/dom.js";
import { EVENT } from "../core/events.js";
import { toast } from "../core/toast.js";
import { nameOf } from "./lines.js";
import { roles, scriptState } from "./state.js";
import { perform } from "./undo.js";
import { moveTo, step, view } from "./view.js";

/** @import { Grid } from "./grid.js" */
/**
 * @typedef {{commit: (down?: number, right?: number) => void, cancel: () => void, element: HTMLTextAreaElement}}
 *   Editing
 */

const LONG = 20; // characters; a discarded text of this length can be restored

/** @type {Editing | null} */
let editing = null;

on(EVENT.pageLeaves, () => editing?.commit());

/**
 * Edit the cursor's cell; if it is not a cell of the sheet, edit the text.
 * @param {Grid} grid @param {string} [typed]  replaces the text of the cell
 */
export function edit(grid, typed) {
  editing?.commit();
  const line = scriptState.lines.get(view.line ?? "");
  if (!line || !toCell(grid)) return;
  grid.reveal();
  const cell = grid.cell();
  const column = grid.columns[view.column];
  if (!cell || typeof column.by !== "number") return;
  const before = line.cells[column.by];
  const name = nameOf([line], roles());
  open(grid, { name, line: line.key, column: column.by, title: column.title, before, value: typed ?? before, cell });
}

/** Edit the text of the cursor's line; in a sheet without a text column, its first cell. @param {Grid} grid */
export function toText(grid) {
  const { columns } = grid;
  const text = columns.findIndex(({ name }) => name === "text");
  view.column = text < 0 ? columns.findIndex(({ kind }) => kind === "cell") : text;
  edit(grid);
}

/**
 * Move the cursor to the text if its cell cannot be edited. Return true if the cell can then be edited.
 * @param {Grid} grid
 */
function toCell({ columns }) {
  if (columns[view.column]?.kind === "cell") return true;
  view.column = columns.findIndex(({ name }) => name === "text");
  return view.column >= 0;
}

/**
 * @param {Grid} grid
 * @param {{name: string, line: string, column: number, title: string, before: string, value: string, cell:
 *   HTMLElement}} what  `before` is the current text
 */
function open(grid, { name, line, column, title, before, value, cell }) {
  const element = h("textarea.cell-editor", { "aria-label": title, rows: 1, spellcheck: "true" });
  element.value = value;
  const close = () => {
    editing = null;
    element.remove();
  };
  /** @type {Editing} */
  const now = {
    element,
    cancel: () => {
      const text = element.value;
      close();
      grid.reveal();
      if (text.length >= LONG && text !== before) offerAgain(grid, { line, column: title, text });
    },
    commit: (down = 0, right = 0) => {
      const text = element.value;
      const focused = element.matches(":focus");
      close();
      const amend = () => edit(grid, text);
      const cells = text === before ? [] : [{ line, column, value: text, before }];
      perform({ cells }, `edit ${title} in ${name}`, { amend });
      if (down || right) step(down, right);
      if (focused || down || right) grid.reveal();
    },
  };
  editing = now;
  element.style.left = `${cell.offsetLeft}px`;
  element.style.top = `${cell.offsetTop}px`;
  element.style.width = `${cell.offsetWidth}px`;
  element.addEventListener("keydown", (event) => key(event, now));
  element.addEventListener("blur", () => editing === now && now.commit());
  cell.parentElement?.append(element);
  element.focus();
  element.setSelectionRange(value.length, value.length);
}

/**
 * Offer to edit again with a text that Esc discarded.
 * @param {Grid} grid @param {{line: string, column: string, text: string}} what
 */
function offerAgain(grid, { line, column, text }) {
  const onaction = () => {
    const at = grid.columns.findIndex(({ title }) => title === column);
    if (at < 0 || !view.places.has(line)) return;
    moveTo(line, at);
    edit(grid, text);
  };
  toast("Edit discarded.", { action: "Undo", hint: "Edit again", onaction });
}

/** @param {KeyboardEvent} event @param {Editing} editing */
function key(event, { commit, cancel }) {
  event.stopPropagation();
  if (event.isComposing) return;
  if (event.key === "Escape") cancel();
  else if (event.key === "Tab") commit(0, event.shiftKey ? -1 : 1);
  else if (event.key === "Enter" && !event.shiftKey && !event.altKey) commit(1);
  else return;
  event.preventDefault();
}

export function isEditing() {
  return editing !== null;
}
