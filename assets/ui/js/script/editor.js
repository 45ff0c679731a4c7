/** A cell under the pen: what is typed is kept whatever becomes of the grid meanwhile. */
import { on } from "../core/bus.js";
import { h } from "../core/dom.js";
import { EVENT } from "../core/events.js";
import { desk } from "./desk.js";
import { perform } from "./undo.js";
import { step, view } from "./view.js";

/** @import { Grid } from "./grid.js" */
/** @typedef {{commit: (down?: number, right?: number) => void, cancel: () => void, element: HTMLTextAreaElement}} Editing */

/** @type {Editing | null} */
let editing = null;

on(EVENT.pageLeaves, () => editing?.commit());

/** Edit the cursor's cell; where it is none of the sheet's, the text. @param {Grid} grid @param {string} [typed]  instead of what it says */
export function edit(grid, typed) {
  editing?.commit();
  const line = desk.lines.get(view.line ?? "");
  if (!line || !toCell(grid)) return;
  grid.reveal();
  const cell = grid.cell();
  const column = grid.columns[view.column];
  if (!cell || typeof column.by !== "number") return;
  const before = line.cells[column.by];
  open(grid, { line: line.key, column: column.by, title: column.title, before, value: typed ?? before, cell });
}

/** Edit the line's text, wherever the cursor is; in a sheet without one its first cell. @param {Grid} grid */
export function toText(grid) {
  const { columns } = grid;
  const text = columns.findIndex(({ name }) => name === "text");
  view.column = text < 0 ? columns.findIndex(({ kind }) => kind === "cell") : text;
  edit(grid);
}

/** Whether the cursor is on a cell that can be edited; beside one it goes to the text. @param {Grid} grid */
function toCell({ columns }) {
  if (columns[view.column]?.kind === "cell") return true;
  view.column = columns.findIndex(({ name }) => name === "text");
  return view.column >= 0;
}

/**
 * @param {Grid} grid
 * @param {{line: string, column: number, title: string, before: string, value: string, cell: HTMLElement}} what  `before` is what it says
 */
function open(grid, { line, column, title, before, value, cell }) {
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
      close();
      grid.reveal();
    },
    commit: (down = 0, right = 0) => {
      const text = element.value;
      const focused = element.matches(":focus");
      close();
      const amend = () => edit(grid, text);
      const cells = text === before ? [] : [{ line, column, value: text, before }];
      perform({ cells }, `edit of ${title}`, { amend });
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
