/** The picker for the part of a clip: two handles and the area between them, moved by pointer or arrow keys. */
import { h } from "../core/dom.js";
import { seconds } from "../core/format.js";
import { clamp } from "../core/math.js";
import { state } from "../core/state.js";
import { limited } from "./selection.js";

/** @import { Waveform } from "../audio/waveform.js" */

const STEP_S = 0.05;
const STRIDE_S = 0.5; // with Shift
/** @type {Record<string, number>} */
const STEPS = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};
const LONGEST_S = 12; // limit while the engines' limits are unknown

export class RangePicker {
  /**
   * @param {Waveform} waveform @param {(start_s: number, end_s: number) => void} moved  called at the end of a movement
   */
  constructor(waveform, moved) {
    this.moved = moved;
    this.length = 0;
    this.from = 0;
    this.to = 0;
    this.start = this.#handle("Start of the selected part");
    this.end = this.#handle("End of the selected part");
    this.middle = h("div.range-middle", { "aria-hidden": "true" });
    this.element = h("div.range", {}, waveform.element, this.middle, this.start, this.end);
    this.waveform = waveform;
    this.#grab(this.start, (at) => this.#put(at, this.to, "end"));
    this.#grab(this.end, (at) => this.#put(this.from, at, "start"));
    this.#grab(this.middle, (at, began) => this.#shift(began.from + at - began.at));
  }

  /** @param {Voice} voice */
  show(voice) {
    this.length = voice.clip.duration_s;
    this.#draw({ start_s: voice.start_s, end_s: voice.end_s });
  }

  /** @param {string} label */
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

  /** @param {KeyboardEvent} event @param {HTMLElement} handle */
  #key(event, handle) {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const by = step * (event.shiftKey ? STRIDE_S : STEP_S);
    if (handle === this.start) this.#put(this.from + by, this.to, "end");
    else this.#put(this.from, this.to + by, "start");
    this.moved(this.from, this.to);
  }

  /** @param {HTMLElement} part @param {(at: number, began: {at: number, from: number}) => void} drag */
  #grab(part, drag) {
    const at = (/** @type {PointerEvent} */ event) => {
      const box = this.element.getBoundingClientRect();
      return ((event.clientX - box.left) / box.width) * this.length;
    };
    part.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      part.focus();
      part.setPointerCapture(event.pointerId);
      const began = { at: at(event), from: this.from };
      const drop = () => {
        Object.assign(part, { onpointermove: null, onpointerup: null, onpointercancel: null });
        if (this.from !== began.from || this.to !== state.voice?.end_s) this.moved(this.from, this.to);
      };
      const onpointermove = (/** @type {PointerEvent} */ move) => drag(at(move), began);
      Object.assign(part, { onpointermove, onpointerup: drop, onpointercancel: drop });
    });
  }

  /** @param {number} start_s @param {number} end_s @param {"start" | "end"} follows  the end that moves along */
  #put(start_s, end_s, follows) {
    const longest_s = Math.min(...(state.telemetry?.engines ?? []).map((one) => one.reference_max_s), LONGEST_S);
    this.#draw(limited({ start_s, end_s }, { clip_s: this.length, longest_s, follows }));
  }

  /** @param {number} from */
  #shift(from) {
    const width = this.to - this.from;
    const start = clamp(from, 0, this.length - width);
    this.#put(start, start + width, "end");
  }

  /** @param {Part} part */
  #draw({ start_s, end_s }) {
    this.from = start_s;
    this.to = end_s;
    const share = (/** @type {number} */ at) => `${(100 * at) / this.length}%`;
    this.start.style.left = share(this.from);
    this.middle.style.left = share(this.from);
    this.end.style.left = share(this.to);
    this.middle.style.width = share(this.to - this.from);
    this.waveform.show({ window: [this.from / this.length, this.to / this.length] });
    for (const { handle, at } of [
      { handle: this.start, at: this.from },
      { handle: this.end, at: this.to },
    ]) {
      handle.setAttribute("aria-valuemax", this.length.toFixed(2));
      handle.setAttribute("aria-valuenow", at.toFixed(2));
      handle.setAttribute("aria-valuetext", seconds(at));
    }
  }
}
