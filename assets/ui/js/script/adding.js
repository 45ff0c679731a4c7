/** New lines of a sheet. */

import { toText } from "./editor.js";
import { ALL, nextId } from "./lines.js";
import { roles, scriptState } from "./state.js";
import { perform } from "./undo.js";
import { moveTo, setFilter, view } from "./view.js";

/** @import { Grid } from "./grid.js" */

const KEY_BYTES = 6;

/**
 * Add a line at the end of the sheet and edit its text. If the filter shows one character, the line gets this
 * character.
 * @param {Grid} grid
 */
export function addLine(grid) {
  const { sheet } = scriptState;
  if (!sheet) return;
  const key = newKey();
  const { id, character } = roles();
  const cells = sheet.columns.map((_, column) => {
    if (column === id) return nextId([...scriptState.lines.values()], column);
    return column === character ? (view.filter.character ?? "") : "";
  });
  perform({ add: [{ key, cells }] }, "add line");
  if (!view.places.has(key)) setFilter(ALL);
  moveTo(key);
  toText(grid);
}

/** Return a new random key. Requests that add the same key twice add one line. */
function newKey() {
  const bytes = [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
