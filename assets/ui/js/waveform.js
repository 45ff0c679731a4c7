/** A waveform of bars on a canvas: what was heard in the accent, the rest quiet. */
import { follow } from "./bus.js";
import { clamp, h } from "./dom.js";

const GAMMA = 0.75; // quiet speech stays visible beside loud
const drawn = new WeakMap(); // element -> Waveform

follow("theme", () => {
  for (const element of document.querySelectorAll(".waveform")) drawn.get(element)?.draw();
});

export class Waveform {
  /**
   * @param {{bar?: number, gap?: number, className?: string}} look  in CSS pixels
   */
  constructor({ bar = 2, gap = 2, className = "" } = {}) {
    this.bar = bar;
    this.gap = gap;
    this.peaks = [];
    this.played = 0; // fraction drawn in the accent
    this.window = null; // [from, to] fractions; outside of it bars fade
    this.filled = 1; // fraction of the width the peaks take
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.element = h(`div.waveform.${className || "plain"}`, {}, this.canvas);
    new ResizeObserver(() => this.draw()).observe(this.element); // also when it comes back to the page
    drawn.set(this.element, this);
  }

  /** @param {Partial<Waveform>} changes */
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
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    this.#bars(pen, width, height);
  }

  #bars(pen, width, height) {
    const ink = colours(this.element);
    const pitch = this.bar + this.gap;
    const count = Math.max(1, Math.floor((width + this.gap) / pitch));
    const shown = Math.max(1, Math.round(count * this.filled));
    const heights = resampled(this.peaks, shown);
    for (let place = 0; place < count; place += 1) {
      const at = (place + 0.5) / count;
      const level = place < shown ? (heights[place] ?? 0) : 0;
      const tall = Math.max(this.bar, Math.pow(level, GAMMA) * (height - 2));
      pen.fillStyle = this.#colour(ink, at, place < shown && this.peaks.length > 0);
      pen.beginPath();
      pen.roundRect(place * pitch, (height - tall) / 2, this.bar, tall, this.bar / 2);
      pen.fill();
    }
  }

  #colour(ink, at, there) {
    if (!there) return ink.empty;
    if (this.window && (at < this.window[0] || at > this.window[1])) return ink.empty;
    return at <= this.played ? ink.played : this.window ? ink.chosen : ink.rest;
  }
}

function colours(element) {
  const style = getComputedStyle(element);
  const of = (name) => style.getPropertyValue(name).trim();
  return { played: of("--accent"), chosen: of("--wave-chosen"), rest: of("--wave"), empty: of("--wave-empty") };
}

/** The loudest of each part, for any number of bars. */
function resampled(peaks, count) {
  const heights = new Array(count).fill(0);
  if (!peaks.length) return heights;
  const loudest = Math.max(0.05, ...peaks);
  for (let place = 0; place < count; place += 1) {
    const from = Math.floor((place * peaks.length) / count);
    const to = Math.max(from + 1, Math.floor(((place + 1) * peaks.length) / count));
    for (let one = from; one < to; one += 1) heights[place] = Math.max(heights[place], peaks[one] ?? 0);
    heights[place] /= loudest;
  }
  return heights;
}

/** Loudest sample of every `size` samples; for sound drawn while it is made or recorded. */
export class PeakMeter {
  constructor(size) {
    this.size = size;
    this.peaks = [];
    this.loudest = 0;
    this.count = 0;
  }

  /** @param {Float32Array} samples */
  add(samples) {
    for (const sample of samples) {
      this.loudest = Math.max(this.loudest, Math.abs(sample));
      if (++this.count === this.size) {
        this.peaks.push(this.loudest);
        this.loudest = this.count = 0;
      }
    }
  }
}

/** A waveform one can seek in, by pointer and keys. `at` and `length` are asked when needed, in seconds. */
export function seekable(waveform, label, { at, length, seek, words }) {
  const { element } = waveform;
  const attributes = { role: "slider", tabindex: "0", "aria-label": label, "aria-valuemin": "0" };
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  const tell = () => {
    element.setAttribute("aria-valuemax", length().toFixed(1));
    element.setAttribute("aria-valuenow", at().toFixed(1));
    element.setAttribute("aria-valuetext", words());
  };
  const to = (event) => {
    const box = element.getBoundingClientRect();
    seek(clamp((event.clientX - box.left) / box.width, 0, 1) * length());
    tell();
  };
  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    to(event);
    element.onpointermove = to;
  });
  element.addEventListener("pointerup", () => (element.onpointermove = null));
  element.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -0.5, ArrowRight: 0.5, Home: -Infinity, End: Infinity }[event.key];
    if (!step) return;
    event.preventDefault();
    seek(clamp(at() + step, 0, length()));
    tell();
  });
  tell();
  return tell;
}
