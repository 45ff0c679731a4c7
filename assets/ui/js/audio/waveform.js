/** A waveform of bars on a canvas. The played part has the accent colour. */
import { follow } from "../core/bus.js";
import { h } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { clamp } from "../core/math.js";
import { barHeights } from "./peaks.js";

/** @typedef {{played: string, chosen: string, rest: string, empty: string}} Colours */

const GAMMA = 0.75; // makes quiet speech visible next to loud speech
/** @type {WeakMap<Element, Waveform>} */
const drawn = new WeakMap();

follow(STATE.theme, () => {
  for (const element of document.querySelectorAll(".waveform")) drawn.get(element)?.draw();
});

export class Waveform {
  /** @param {{bar?: number, gap?: number, className?: string}} look  in CSS pixels */
  constructor({ bar = 2, gap = 2, className = "" } = {}) {
    this.bar = bar;
    this.gap = gap;
    /** @type {number[]} */ this.peaks = [];
    this.played = 0; // fraction that is drawn in the accent colour
    /** @type {[number, number] | null} */ this.window = null; // start and end as fractions; bars outside fade
    this.filled = 1; // fraction of the width that the peaks fill
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.element = h(`div.waveform.${className || "plain"}`, {}, this.canvas);
    new ResizeObserver(() => this.draw()).observe(this.element); // also called when the element is shown again
    drawn.set(this.element, this);
  }

  /** @param {{peaks?: number[], played?: number, window?: [number, number] | null, filled?: number}} changes */
  show(changes) {
    Object.assign(this, changes);
    this.draw();
    return this;
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    pen.scale(ratio, ratio);
    this.#bars(pen, width, height);
  }

  /** @param {CanvasRenderingContext2D} pen @param {number} width @param {number} height */
  #bars(pen, width, height) {
    const colours = coloursOf(this.element);
    const pitch = this.bar + this.gap;
    const count = Math.max(1, Math.floor((width + this.gap) / pitch));
    const shown = Math.max(1, Math.round(count * this.filled));
    const heights = barHeights(this.peaks, shown);
    for (let place = 0; place < count; place += 1) {
      const at = (place + 0.5) / count;
      const level = place < shown ? (heights[place] ?? 0) : 0;
      const tall = Math.max(this.bar, level ** GAMMA * (height - 2));
      pen.fillStyle = this.#colour(colours, at, place < shown && this.peaks.length > 0);
      pen.beginPath();
      pen.roundRect(place * pitch, (height - tall) / 2, this.bar, tall, this.bar / 2);
      pen.fill();
    }
  }

  /** @param {Colours} colours @param {number} at @param {boolean} there */
  #colour(colours, at, there) {
    if (!there) return colours.empty;
    if (this.window && (at < this.window[0] || at > this.window[1])) return colours.empty;
    return at <= this.played ? colours.played : this.window ? colours.chosen : colours.rest;
  }
}

/** @param {Element} element @returns {Colours} */
function coloursOf(element) {
  const style = getComputedStyle(element);
  const of = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  return { played: of("--accent"), chosen: of("--wave-chosen"), rest: of("--wave"), empty: of("--wave-empty") };
}

/**
 * Make a waveform seekable, by pointer and keys.
 * @param {{element: HTMLElement}} waveform
 * @param {string} label
 * @param {{at: () => number, length: () => number, seek: (at_s: number) => void, words: () => string}} how
 *   `at` and `length` in seconds, read when needed
 * @returns {() => void}  updates the position for screen readers
 */
export function seekable({ element }, label, { at, length, seek, words }) {
  const attributes = { role: "slider", tabindex: "0", "aria-label": label, "aria-valuemin": "0" };
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  const update = () => {
    element.setAttribute("aria-valuemax", length().toFixed(1));
    element.setAttribute("aria-valuenow", at().toFixed(1));
    element.setAttribute("aria-valuetext", words());
  };
  const to = (/** @type {PointerEvent} */ event) => {
    const box = element.getBoundingClientRect();
    seek(clamp((event.clientX - box.left) / box.width, 0, 1) * length());
    update();
  };
  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    to(event);
    element.onpointermove = to;
  });
  element.addEventListener("pointerup", () => {
    element.onpointermove = null;
  });
  element.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -0.5, ArrowRight: 0.5, Home: -Infinity, End: Infinity }[event.key];
    if (!step) return;
    event.preventDefault();
    seek(clamp(at() + step, 0, length()));
    update();
  });
  update();
  return update;
}
