/** A champion's face: its portrait, or a mark drawn from its id, a voice going round in a circle. */
import { h } from "./dom.js";

const BARS = 24;
const SVG = "http://www.w3.org/2000/svg";

/** @param {{id: string, colour: string, portrait?: string|null}} champion */
export function face({ id, colour, portrait = null }) {
  const element = h("span.face", { "aria-hidden": "true", style: `--mark: ${colour || colourOf(id)}` });
  const onerror = () => element.replaceChildren(drawn(id)); // no picture after all
  element.append(portrait ? h("img", { src: portrait, alt: "", loading: "lazy", onerror }) : drawn(id));
  return element;
}

/** The colour of an id for which nobody chose one, as #rrggbb. */
export function colourOf(id) {
  const hue = Math.floor(360 * random(`${id} colour`)());
  const part = (place) => {
    const turn = (place + hue / 30) % 12;
    return Math.round(255 * (0.66 - 0.24 * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))));
  };
  return `#${[0, 8, 4].map((place) => part(place).toString(16).padStart(2, "0")).join("")}`;
}

/** Bars around a circle, as long as three waves drawn from the id make them. */
function drawn(id) {
  const draw = random(id);
  const waves = [2, 3, 5].map((turns) => ({ turns, size: 0.3 + draw(), at: 2 * Math.PI * draw() }));
  const most = waves.reduce((sum, { size }) => sum + size, 0);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "-32 -32 64 64");
  for (let bar = 0; bar < BARS; bar += 1) {
    const angle = (2 * Math.PI * bar) / BARS;
    const level = waves.reduce((sum, { turns, size, at }) => sum + size * Math.sin(turns * angle + at), 0) / most;
    const [from, to] = [10, 13.5 + 14 * (0.5 + 0.5 * level)];
    const line = document.createElementNS(SVG, "path");
    const point = (far) => `${(far * Math.cos(angle)).toFixed(2)} ${(far * Math.sin(angle)).toFixed(2)}`;
    line.setAttribute("d", `M${point(from)}L${point(to)}`);
    svg.append(line);
  }
  return svg;
}

/** Numbers in [0, 1) that an id always gives anew (FNV-1a, then mulberry32). */
function random(id) {
  let seed = 2166136261;
  for (const letter of id) seed = Math.imul(seed ^ letter.codePointAt(0), 16777619);
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
