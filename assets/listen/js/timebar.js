/**
 * The time bar: the position, which all sounds share, and the part of the sounds that plays. It shows no waveform, since
 * a waveform would tell the sounds apart.
 */
import { clamp, h } from "./dom.js";
import { SHORTEST_S } from "./player.js";

/** @import { Player } from "./player.js" */
/** @import { Region } from "./types.d.ts" */
/** @typedef {"from" | "to" | "at"} Grip */

const STEP_S = 0.1;
const PAGE_S = 1;
const NEAR_PX = 22; // from a handle: half a finger
const DRAG_PX = 6; // a shorter movement is a click
/** @type {Record<Grip, string>} */
const LABELS = { from: "Start of the part that plays", to: "End of the part that plays", at: "Position" };

export class TimeBar {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.part = h("div.part");
    this.grips = { from: this.#grip("from"), to: this.#grip("to"), at: this.#grip("at") };
    this.rail = h("div.rail", {}, this.part, this.grips.from, this.grips.at, this.grips.to);
    this.time = h("span.time");
    this.element = h(
      "div.time-bar",
      { onpointerdown: (event) => this.#press(event), role: "group", "aria-label": "Time" },
      this.rail,
    );
    this.draw();
  }

  /** @param {Grip} which */
  #grip(which) {
    return h(`div.grip.grip-${which}`, {
      role: "slider",
      tabindex: "0",
      "aria-label": LABELS[which],
      "aria-valuemin": "0",
      "aria-valuemax": this.player.duration.toFixed(1),
      onkeydown: (event) => this.#key(which, event),
    });
  }

  /** @param {Grip} which */
  #value(which) {
    const { region, position } = this.player;
    return { from: region.from_s, to: region.to_s, at: position }[which];
  }

  /** @param {Grip} which @param {number} to_s */
  #move(which, to_s) {
    const { player } = this;
    const { region, duration, loop } = player;
    if (which === "at") return player.seek(to_s);
    const limits = which === "from" ? [0, region.to_s - SHORTEST_S] : [region.from_s + SHORTEST_S, duration];
    const moved = clamp(to_s, limits[0], limits[1]);
    return player.change({ ...region, [`${which}_s`]: moved }, loop);
  }

  /** @param {Grip} which @param {KeyboardEvent} event */
  #key(which, event) {
    const value = this.#value(which);
    /** @type {Record<string, number>} */
    const goals = {
      ArrowLeft: value - STEP_S,
      ArrowDown: value - STEP_S,
      ArrowRight: value + STEP_S,
      ArrowUp: value + STEP_S,
      PageDown: value - PAGE_S,
      PageUp: value + PAGE_S,
      Home: 0,
      End: this.player.duration,
    };
    if (!(event.key in goals) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.#move(which, goals[event.key]);
  }

  /** @param {number} x  in the window */
  #timeAt(x) {
    const { left, width } = this.rail.getBoundingClientRect();
    return clamp((x - left) / width, 0, 1) * this.player.duration;
  }

  /** Move the handle under the pointer, or select a part, or, without movement, set the position. @param {PointerEvent} event */
  #press(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    const { pointerId, clientX } = event;
    const grip = this.#near(clientX);
    const anchor = this.#timeAt(clientX);
    let dragged = false;
    const move = (/** @type {PointerEvent} */ { clientX: x }) => {
      dragged ||= Math.abs(x - clientX) >= DRAG_PX;
      if (dragged && grip) this.#move(grip, this.#timeAt(x));
      else if (dragged) this.#select(anchor, this.#timeAt(x));
    };
    const end = (/** @type {PointerEvent} */ { type }) => {
      for (const [name, listener] of listeners) this.element.removeEventListener(name, listener);
      if (!dragged && type === "pointerup") this.player.seek(anchor);
    };
    /** @type {["pointermove" | "pointerup" | "pointercancel", (event: PointerEvent) => void][]} */
    const listeners = [
      ["pointermove", move],
      ["pointerup", end],
      ["pointercancel", end],
    ];
    this.element.setPointerCapture(pointerId);
    for (const [name, listener] of listeners) this.element.addEventListener(name, listener);
  }

  /** Return the handle next to a place, or null. @param {number} x @returns {Grip | null} */
  #near(x) {
    const away = (/** @type {Grip} */ which) => {
      const { left, width } = this.grips[which].getBoundingClientRect();
      return Math.abs(left + width / 2 - x);
    };
    const nearest = away("from") < away("to") ? "from" : "to";
    return away(nearest) <= NEAR_PX ? nearest : null;
  }

  /** @param {number} one_s @param {number} other_s */
  #select(one_s, other_s) {
    const { duration, loop } = this.player;
    const from_s = Math.min(one_s, other_s, duration - SHORTEST_S);
    const to_s = Math.max(one_s, other_s, from_s + SHORTEST_S);
    this.player.change({ from_s, to_s }, loop);
  }

  draw() {
    const { region, duration, position } = this.player;
    const share = (/** @type {number} */ time) => `${(100 * time) / duration}%`;
    this.part.style.left = share(region.from_s);
    this.part.style.right = share(duration - region.to_s);
    for (const which of /** @type {Grip[]} */ (["from", "to", "at"])) {
      this.grips[which].style.left = share(this.#value(which));
      this.#describe(which);
    }
    this.time.textContent = `${position.toFixed(1)} / ${duration.toFixed(1)} s`;
  }

  /** Set what a screen reader says, at most ten times in a second. @param {Grip} which */
  #describe(which) {
    const value = this.#value(which).toFixed(1);
    const grip = this.grips[which];
    if (grip.getAttribute("aria-valuenow") === value) return;
    grip.setAttribute("aria-valuenow", value);
    grip.setAttribute("aria-valuetext", `${value} s of ${this.player.duration.toFixed(1)} s`);
  }
}
