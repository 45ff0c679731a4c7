/** A card of the Monitor page: title, figures, plot, legend and further content. */
import { h, setText } from "../core/dom.js";
import { plot } from "./plots.js";
import { Readout, wallClock } from "./readout.js";
import { timeOf } from "./scale.js";

/** @typedef {Telemetry & {time: import("./scale.js").Time}} Reading */
/** @typedef {{figures: HTMLElement, drawing: SVGElement, scale: HTMLElement, legend: HTMLElement, readout: Readout}} CardParts */

/**
 * Return a card with a title, figures, a plot, a legend and further content.
 * @param {string} title @param {string} label @param {(reading: Reading, parts: CardParts) => void} draw
 * @param {Node[]} further
 */
export function card(title, label, draw, ...further) {
  const figures = h("p.figures");
  const drawing = plot(label);
  const scale = h("span.scale");
  const legend = h("ul.legend");
  const [start, end] = [h("span"), h("span")];
  const holder = h("div.plot-holder", {}, drawing, scale);
  const readout = new Readout(holder, `${label}, last minutes`);
  const element = h(
    "section.card",
    { "aria-label": title },
    h("div.card-head", {}, h("h3", {}, title), figures),
    holder,
    h("div.axis", { "aria-hidden": "true" }, start, end),
    legend,
    ...further,
  );
  const redraw = (/** @type {Telemetry} */ telemetry, /** @type {number} */ read_ms, /** @type {boolean} */ lost) => {
    const time = timeOf(telemetry.points, telemetry.at_s, read_ms);
    setText(start, lost ? wallClock(read_ms - 1000 * time.span_s) : `${time.span_s / 60} min ago`);
    setText(end, lost ? wallClock(read_ms) : "now");
    draw({ ...telemetry, time }, { figures, drawing, scale, legend, readout });
  };
  return { element, draw: redraw };
}

/** Show figures. Create the elements again only if a text has changed. @param {Element} holder @param {[value: string, label: string, title?: string][]} figures */
export function showFigures(holder, figures) {
  const key = JSON.stringify(figures);
  if (holder.getAttribute("data-shown") === key) return;
  holder.setAttribute("data-shown", key);
  holder.replaceChildren(
    ...figures.map(([value, label, title]) => h("span.figure", title ? { title } : {}, h("b", {}, value), ` ${label}`)),
  );
}

/** Show a legend: a colour and words, or words alone. @param {Element} holder @param {[className: string, words: string, title?: string][]} keys */
export function showLegend(holder, keys) {
  const key = JSON.stringify(keys);
  if (holder.getAttribute("data-shown") === key) return;
  holder.setAttribute("data-shown", key);
  holder.replaceChildren(
    ...keys.map(([className, words, title]) =>
      h("li", title ? { title } : {}, className ? h(`i.swatch.${className}`) : null, words),
    ),
  );
}
