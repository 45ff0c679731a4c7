/**
 * Shows the values of a plot at a chosen time. The pointer chooses the time, or the arrow keys while the plot is
 * focused. The chosen time does not change while the plot moves. If the time leaves the plot, the
 * plot shows its oldest values. A tap chooses the time until the next tap elsewhere.
 */
import { h } from "../core/dom.js";
import { seconds } from "../core/format.js";
import { nearest } from "./scale.js";

/** @import { Time } from "./scale.js" */
/** @typedef {{at_s: number, values: [label: string, value: string][]}} Moment */
/** @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
const EVERY_MS = 1000; // between two changes of the shown age
const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false };

export class Readout {
  /** @param {HTMLElement} holder  of the plot @param {string} label  describes the plot for screen readers */
  constructor(holder, label) {
    this.holder = holder;
    this.line = h("i.cursor", { hidden: true });
    this.box = h("div.plot-readout", { hidden: true });
    /** @type {number[]} */
    this.times = []; // oldest first
    /** @type {Time} */
    this.time = { now_s: 0, span_s: 60, read_ms: 0 };
    this.values = (/** @type {number} */ _place) => /** @type {Moment["values"]} */ ([]);
    /** @type {number | null} */
    this.chosen_s = null;
    this.timer = 0;
    for (const [name, value] of Object.entries({
      role: "slider",
      tabindex: "0",
      "aria-label": `${label}. Use the arrow keys to read values.`,
      "aria-valuemin": "0",
    }))
      holder.setAttribute(name, value);
    holder.append(this.line, this.box);
    holder.addEventListener("pointermove", (event) => this.point(event));
    holder.addEventListener("pointerdown", (event) => this.point(event));
    holder.addEventListener("pointerleave", ({ pointerType }) => pointerType !== "touch" && this.choose(null));
    document.addEventListener("pointerdown", ({ target }) => {
      if (this.chosen_s !== null && !holder.contains(/** @type {Node} */ (target))) this.choose(null);
    });
    holder.addEventListener("blur", () => this.choose(null));
    holder.addEventListener("focus", () => holder.matches(":focus-visible") && this.choose(this.times.length - 1));
    holder.addEventListener("keydown", (event) => this.press(event));
    this.draw();
  }

  /**
   * @param {{at_s: number}[]} items  oldest first @param {Time} time
   * @param {(place: number) => Moment["values"]} values  of the item at a place
   */
  update(items, time, values) {
    this.times = items.map(({ at_s }) => at_s);
    this.time = time;
    this.values = values;
    this.draw();
  }

  /** @param {PointerEvent} event */
  point(event) {
    const { left, width } = this.holder.getBoundingClientRect();
    const at_s = this.time.now_s - this.time.span_s * (1 - (event.clientX - left) / width);
    this.choose(nearest(this.times, at_s));
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const last = this.times.length - 1;
    const place = this.place() ?? last;
    if (event.key in STEPS) this.choose(Math.max(0, Math.min(last, place + STEPS[event.key])));
    else if (event.key === "Home") this.choose(0);
    else if (event.key === "End") this.choose(last);
    else if (event.key === "Escape") this.choose(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number | null} place */
  choose(place) {
    this.chosen_s = place === null ? null : (this.times[place] ?? null);
    clearInterval(this.timer);
    if (this.chosen_s !== null) this.timer = setInterval(() => this.draw(), EVERY_MS);
    this.draw();
  }

  /** Return the index of the chosen time; null if no time is chosen. */
  place() {
    return this.chosen_s === null ? null : nearest(this.times, this.chosen_s);
  }

  draw() {
    const place = this.place();
    const last = this.times.length - 1;
    this.line.hidden = place === null;
    this.box.hidden = place === null;
    this.holder.setAttribute("aria-valuemax", String(Math.max(0, last)));
    this.holder.setAttribute("aria-valuenow", String(place ?? Math.max(0, last)));
    if (place === null) {
      this.holder.setAttribute("aria-valuetext", this.times.length ? "no time chosen" : "no data yet");
      return;
    }
    const age_s = this.time.now_s - this.times[place];
    const values = this.values(place);
    const sampled_ms = this.time.read_ms - 1000 * age_s;
    const passed_s = Math.round((Date.now() - sampled_ms) / 1000);
    const when = passed_s < 1 ? "now" : `${seconds(passed_s).replace(".0", "")} ago`;
    const share = Math.max(0, 1 - age_s / this.time.span_s);
    this.line.style.left = `${100 * share}%`;
    this.box.classList.toggle("left", share > 0.5);
    this.box.style.left = `${100 * share}%`;
    this.box.replaceChildren(
      h("b", {}, `${when}, ${wallClock(sampled_ms)}`),
      ...values.map(([label, value]) => h("span", {}, `${label} `, h("b", {}, value))),
    );
    const spoken = values.map(([label, value]) => `${label} ${value}`).join(", ");
    this.holder.setAttribute("aria-valuetext", `${wallClock(sampled_ms)}: ${spoken}`); // without the age, which changes
  }
}

/** Format the time of day: "14:02:07". @param {number} time_ms */
export function wallClock(time_ms) {
  return new Date(time_ms).toLocaleTimeString("en-GB", /** @type {Intl.DateTimeFormatOptions} */ (CLOCK));
}
