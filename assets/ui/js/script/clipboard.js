/**
 * Copy and paste of cells between the grid and a spreadsheet. Without an open sheet, pasted cells become a new sheet.
 */
import { announce } from "../core/dom.js";
import { plural } from "../core/format.js";
import { page } from "../core/pages.js";
import { cellsOf, textOf } from "./cells.js";
import { isHeader } from "./columns.js";
import { pasteOver, pasteSheet } from "./imports.js";
import { scriptState } from "./state.js";
import { perform } from "./undo.js";
import { targets, view } from "./view.js";

/** @import { Grid } from "./grid.js" */

const TYPING = "textarea, input, select, dialog";

/** @param {Grid} grid */
export function listenForClipboard(grid) {
  const isOurs = (/** @type {ClipboardEvent} */ event) =>
    page() === "script" &&
    !(/** @type {Element} */ (event.target).closest(TYPING)) &&
    !document.querySelector("dialog[open]");
  document.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!isOurs(event) || !text) return;
    event.preventDefault();
    const rows = cellsOf(text);
    const { sheet } = scriptState;
    if (!sheet) pasteSheet(text);
    else if (rows.length > 1 && isHeader(rows[0], sheet.columns)) pasteOver(text, () => paste(grid, rows));
    else paste(grid, rows);
  });
  document.addEventListener("copy", (event) => {
    if (!isOurs(event) || !scriptState.sheet || String(getSelection())) return;
    event.preventDefault();
    event.clipboardData?.setData("text/plain", copied(grid));
    announce("Copied.");
  });
}

/** Return the text of the cursor's cell, or of that column in the ticked lines. @param {Grid} grid */
function copied({ columns }) {
  const { by } = columns[view.column] ?? {};
  const whole = typeof by !== "number";
  return textOf(
    targets().map((key) => {
      const { cells } = /** @type {ScriptLine} */ (scriptState.lines.get(key));
      return whole ? cells : [cells[by]];
    }),
  );
}

/**
 * Paste into the shown lines, from the cursor down and to the right. A single cell is pasted into all ticked lines.
 * @param {Grid} grid @param {string[][]} rows
 */
function paste({ columns }, rows) {
  const alone = rows.length === 1 && rows[0].length === 1;
  const first = view.places.get(view.line ?? "") ?? 0;
  const keys = alone ? targets() : view.shown.slice(first, first + rows.length);
  const into = columns.slice(view.column).flatMap(({ by }) => (typeof by === "number" ? [by] : []));
  const cells = keys.flatMap((line, at) =>
    (alone ? rows[0] : rows[at]).flatMap((value, across) =>
      into[across] === undefined ? [] : [{ line, column: into[across], value }],
    ),
  );
  const lines = plural(keys.length, "line");
  perform({ cells }, `paste into ${lines}`, { message: `Pasted into ${lines}.` });
}
