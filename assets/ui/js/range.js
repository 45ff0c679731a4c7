/** The part of a clip the engine hears: two handles and the stretch between, moved by pointer or arrow keys. */
import { clamp, h } from "./dom.js";
import { state } from "./state.js";
import { seconds } from "./words.js";

const LEAST_S = 0.5;
const STEP_S = 0.05;
const STRIDE_S = 0.5; // with Shift
const STEPS = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -Infinity,
  End: Infinity,
};
const LONGEST_S = 12; // until an engine says what it takes

export class RangePicker {
  /** @param {(start_s: number, end_s: number) => void} moved  called once a movement is over */
  constructor(waveform, moved) {
    this.moved = moved;
    this.start = this.#handle("Start of the selected part");
    this.end = this.#handle("End of the selected part");
    this.middle = h("div.range-middle", { "aria-hidden": "true" });
    this.element = h("div.range", {}, waveform.element, this.middle, this.start, this.end);
    this.waveform = waveform;
    this.#grab(this.start, (at) => this.#put(at, this.to, "end"));
    this.#grab(this.end, (at) => this.#put(this.from, at, "start"));
    this.#grab(this.middle, (at, began) => this.#shift(began.from + at - began.at));
  }

  /** @param {import("./state.js").Voice} voice */
  show(voice) {
    this.length = voice.clip.duration_s;
    [this.from, this.to] = [voice.start_s, voice.end_s];
    this.#draw();
  }

  #handle(label) {
    const handle = h("button.range-handle", {
      type: "button",
      role: "slider",
      "aria-label": label,
      "aria-valuemin": "0",
    });
    handle.addEventListener("keydown", (event) => this.#key(event, handle));
    return handle;
  }

  #key(event, handle) {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const by = step * (event.shiftKey ? STRIDE_S : STEP_S);
    if (handle === this.start) this.#put(this.from + by, this.to, "end");
    else this.#put(this.from, this.to + by, "start");
    this.moved(this.from, this.to);
  }

  #grab(part, drag) {
    const at = (event) => {
      const box = this.element.getBoundingClientRect();
      return ((event.clientX - box.left) / box.width) * this.length;
    };
    part.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      part.focus();
      part.setPointerCapture(event.pointerId);
      const began = { at: at(event), from: this.from };
      part.onpointermove = (move) => drag(at(move), began);
      part.onpointerup = part.onpointercancel = () => {
        part.onpointermove = part.onpointerup = part.onpointercancel = null;
        if (this.from !== began.from || this.to !== state.voice.end_s) this.moved(this.from, this.to);
      };
    });
  }

  get #longest() {
    return Math.min(...(state.telemetry?.engines ?? []).map((one) => one.reference_max_s), LONGEST_S);
  }

  /** Both ends, kept apart and not too far; `follows` is the end that gives way. */
  #put(from, to, follows) {
    from = clamp(from, 0, this.length);
    to = clamp(to, 0, this.length);
    if (follows === "end") {
      from = Math.min(from, this.length - LEAST_S);
      to = clamp(to, from + LEAST_S, from + this.#longest);
    } else {
      to = Math.max(to, LEAST_S);
      from = clamp(from, to - this.#longest, to - LEAST_S);
    }
    [this.from, this.to] = [Math.max(0, rounded(from)), Math.min(rounded(to), this.length)];
    this.#draw();
  }

  #shift(from) {
    const width = this.to - this.from;
    const start = clamp(from, 0, this.length - width);
    this.#put(start, start + width, "end");
  }

  #draw() {
    const share = (at) => `${(100 * at) / this.length}%`;
    this.start.style.left = this.middle.style.left = share(this.from);
    this.end.style.left = share(this.to);
    this.middle.style.width = share(this.to - this.from);
    this.waveform.show({ window: [this.from / this.length, this.to / this.length] });
    for (const [handle, at] of [
      [this.start, this.from],
      [this.end, this.to],
    ]) {
      handle.setAttribute("aria-valuemax", this.length.toFixed(2));
      handle.setAttribute("aria-valuenow", at.toFixed(2));
      handle.setAttribute("aria-valuetext", seconds(at));
    }
  }
}

/** To the millisecond; finer than anyone drags. */
function rounded(at) {
  return Math.round(at * 1000) / 1000;
}
