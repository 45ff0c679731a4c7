/** Clicks on the grid. */
import { playLine } from "./acts.js";
import { edit } from "./editor.js";
import { scriptState } from "./state.js";
import { moveTo } from "./view.js";

/** @import { Drawer } from "./drawer.js" */
/** @import { Grid } from "./grid.js" */

const phone = matchMedia("(max-width: 760px)");

/** @param {Grid} grid @param {Drawer} drawer */
export function listenForClicks(grid, drawer) {
  grid.element.addEventListener("click", (event) => {
    const at = placeOf(event);
    if (!at) return;
    const { key, column } = at;
    const kind = grid.columns[column]?.kind;
    const toggle = kind === "tick" || event.ctrlKey || event.metaKey;
    moveTo(key, column, { extend: event.shiftKey, toggle });
    grid.reveal();
    if (kind === "take") playLine(scriptState.lines.get(key));
    else if (kind !== "tick" && phone.matches) drawer.open(true);
  });
  grid.element.addEventListener("dblclick", (event) => {
    const at = placeOf(event);
    if (at && grid.columns[at.column]?.kind === "cell") edit(grid);
  });
  // Shift and click selects lines, so it must not select text.
  grid.element.addEventListener("mousedown", (event) => event.shiftKey && event.preventDefault());
}

/** @param {MouseEvent} event */
function placeOf({ target }) {
  const cell = /** @type {HTMLElement} */ (target).closest(".cell[data-column]");
  const row = /** @type {HTMLElement | null} */ (cell?.closest("[data-key]"));
  if (!(cell instanceof HTMLElement) || !row?.dataset.key) return null;
  return { key: row.dataset.key, column: Number(cell.dataset.column) };
}
