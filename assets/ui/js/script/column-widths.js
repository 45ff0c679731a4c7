/** Column widths of the grid, changed by dragging or arrow keys. The browser remembers them. */
import { h } from "../core/dom.js";
import { clamp } from "../core/math.js";
import { loadJson, saveJson } from "../core/storage.js";
import { widthKey } from "./columns.js";

/** @import { Column } from "./columns.js" */

const KEY = "studio-script-widths";
const LEAST_PX = 64;
const MOST_PX = 900;
const STEP_PX = 16;

/** Widths in pixels that the user chose, by `widthKey`. @type {Record<string, number>} */
let widths = loadJson(KEY, {});

export function columnWidths() {
  return widths;
}

/**
 * Return the right edge of a column header, which changes the width.
 * @param {Column} column @param {() => void} draw  called after a change of the width
 */
export function columnEdge(column, draw) {
  const key = widthKey(column);
  const edge = h("span.column-edge", {
    ...{ role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-label": `Width of ${column.title}` },
    ...{ "aria-valuemin": LEAST_PX, "aria-valuemax": MOST_PX },
    title: "Drag, or press ← and →, to resize. Double-click to reset.",
  });
  const width = () => /** @type {HTMLElement} */ (edge.parentElement).getBoundingClientRect().width;
  const tell = () =>
    edge.setAttribute(
      "aria-valuenow",
      String(Math.round(widths[key] ?? (edge.parentElement ? width() : column.least))),
    );
  const set = (/** @type {number | null} */ wanted) => {
    const { [key]: _, ...others } = widths;
    widths = wanted === null ? others : { ...others, [key]: Math.round(clamp(wanted, LEAST_PX, MOST_PX)) };
    saveJson(KEY, widths);
    draw();
    tell();
  };
  listenForDrag(edge, width, set);
  edge.addEventListener("dblclick", () => set(null));
  edge.addEventListener("focus", tell);
  edge.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: width() - STEP_PX, ArrowRight: width() + STEP_PX, Home: LEAST_PX, End: MOST_PX }[event.key];
    if (to === undefined && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    set(to ?? null);
  });
  tell();
  return edge;
}

/** @param {HTMLElement} edge @param {() => number} width @param {(wanted: number) => void} set */
function listenForDrag(edge, width, set) {
  edge.addEventListener("pointerdown", ({ pointerId, clientX }) => {
    const before = width();
    edge.setPointerCapture(pointerId);
    edge.onpointermove = (event) => set(before + event.clientX - clientX);
  });
  edge.addEventListener("lostpointercapture", () => {
    edge.onpointermove = null;
  });
}
