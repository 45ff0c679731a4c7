/** A champion's face: its portrait, or a circle of bars drawn from its id. */
import { h } from "../core/dom.js";
import { colourOf, random } from "./mark.js";

const BARS = 24;
const SVG = "http://www.w3.org/2000/svg";

/** @param {{id: string, colour: string, portrait?: string | null}} champion */
export function face({ id, colour, portrait = null }) {
  const element = h("span.face", { "aria-hidden": "true", style: `--mark: ${colour || colourOf(id)}` });
  const onerror = () => element.replaceChildren(drawn(id)); // the portrait cannot be loaded
  element.append(portrait ? h("img", { src: portrait, alt: "", loading: "lazy", onerror }) : drawn(id));
  return element;
}

/**
 * Draw bars around a circle. Their lengths are the sum of three sine waves with sizes and phases from the id.
 * @param {string} id
 */
function drawn(id) {
  const draw = random(id);
  const waves = [2, 3, 5].map((turns) => ({ turns, size: 0.3 + draw(), at: 2 * Math.PI * draw() }));
  const most = waves.reduce((sum, { size }) => sum + size, 0);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "-32 -32 64 64");
  for (let bar = 0; bar < BARS; bar += 1) {
    const angle = (2 * Math.PI * bar) / BARS;
    const level = waves.reduce((sum, { turns, size, at }) => sum + size * Math.sin(turns * angle + at), 0) / most;
    const point = (/** @type {number} */ far) =>
      `${(far * Math.cos(angle)).toFixed(2)} ${(far * Math.sin(angle)).toFixed(2)}`;
    const line = document.createElementNS(SVG, "path");
    line.setAttribute("d", `M${point(10)}L${point(13.5 + 14 * (0.5 + 0.5 * level))}`);
    svg.append(line);
  }
  return svg;
}
