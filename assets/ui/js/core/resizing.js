/** An edge of a panel that changes its height, by dragging or arrow keys. The browser remembers the height. */
import { h } from "./dom.js";
import { clamp } from "./math.js";
import { loadJson, saveJson } from "./storage.js";

const STEP_PX = 24;

/**
 * Return the upper edge of a panel at the bottom of the page, as a separator to put into the panel.
 * @param {HTMLElement} panel @param {{label: string, key: string, least: number, most: () => number}} how
 *   `key`: storage key of the height; `least` and `most` in CSS pixels
 */
export function upperEdge(panel, { label, key, least, most }) {
  const edge = h("div.panel-edge", {
    ...{ role: "separator", tabindex: "0", "aria-orientation": "horizontal", "aria-label": label },
    title: "Drag or use the up and down arrow keys. Double-click to reset.",
  });
  const tell = () => {
    edge.setAttribute("aria-valuemin", String(least));
    edge.setAttribute("aria-valuemax", String(Math.round(most())));
    edge.setAttribute("aria-valuenow", String(Math.round(panel.offsetHeight)));
  };
  const resize = (/** @type {number | null} */ height) => {
    const wanted = height && Math.round(clamp(height, least, Math.max(least, most())));
    if (wanted) panel.style.setProperty("--panel-height", `${wanted}px`);
    else panel.style.removeProperty("--panel-height");
    tell();
    return wanted;
  };
  const keep = (/** @type {number | null} */ height) => saveJson(key, resize(height));
  edge.addEventListener("pointerdown", ({ pointerId, clientY }) => {
    const before = panel.offsetHeight;
    edge.setPointerCapture(pointerId);
    edge.onpointermove = (event) => keep(before + clientY - event.clientY);
  });
  edge.addEventListener("lostpointercapture", () => {
    edge.onpointermove = null;
  });
  edge.addEventListener("dblclick", () => keep(null));
  edge.addEventListener("keydown", (event) => {
    const now = panel.offsetHeight;
    const to = { ArrowUp: now + STEP_PX, ArrowDown: now - STEP_PX, Home: least, End: most() }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    keep(to);
  });
  new ResizeObserver(tell).observe(panel);
  resize(loadJson(key, null));
  return edge;
}
