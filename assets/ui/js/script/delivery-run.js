/** A delivery under way: its progress, and Cancel. It goes on while its dialog is closed. */
import { changed } from "../core/bus.js";
import { h } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { percent, sentence } from "../core/format.js";
import { attempt } from "../core/login.js";
import { get, post, refusedWith } from "../core/server.js";
import { sleep } from "../core/timing.js";
import { projectPath } from "./desk.js";

/** @typedef {{file: string, name: string, bytes: number, where: string, report: any}} Result */
/**
 * @typedef {{id: string, state: string, fraction: number, message: string, error: string, to: string, resumable: boolean,
 *   result: Result | null}} Delivery
 */

const EVERY_MS = 500;
/** The last delivery of each sheet, until its result was shown. @type {Map<string, DeliveryRun>} */
const runs = new Map();

/** The delivery of a sheet: under way, ended without being looked at, or new. @param {string} sheet */
export function runOf(sheet) {
  const run = runs.get(sheet) ?? new DeliveryRun();
  runs.set(sheet, run);
  return run;
}

export class DeliveryRun {
  constructor() {
    this.path = "";
    this.order = ""; // what is delivered
    /** The delivery at its end, until that was shown. @type {Promise<Delivery> | null} */
    this.end = null;
    /** What was made and not sent. @type {{id: string, order: string} | null} */
    this.failed = null;
    this.running = false;
    this.state = ""; // at its end
    this.bar = h("i");
    this.words = h("span.hint", { role: "status" });
    const stop = h(
      "button.quiet.small",
      { type: "button", onclick: () => attempt(() => this.cancel()) },
      "Cancel delivery",
    );
    this.element = h(
      "div.delivery-progress",
      { hidden: true },
      h("span.progress", { "aria-hidden": "true" }, this.bar),
      this.words,
      stop,
    );
  }

  /**
   * Begin a delivery. `onhidden` is called at its end if the dialog is closed then.
   * @param {() => Promise<Delivery>} ask @param {(outcome: string) => void} onhidden
   */
  begin(ask, onhidden) {
    const follow = async () => {
      this.running = true;
      changed(STATE.delivery);
      this.state = "failed";
      try {
        const done = await this.#follow(await ask());
        this.state = done.state;
        return done;
      } finally {
        this.running = false;
        changed(STATE.delivery);
        if (!this.element.isConnected) onhidden(this.outcome);
      }
    };
    this.end = follow();
    this.end.catch(() => {}); // the dialog shows it
  }

  /** How it ended, as a sentence. */
  get outcome() {
    if (this.state === "done") return "The delivery is complete.";
    return this.state === "cancelled" ? "The delivery was cancelled." : "The delivery failed.";
  }

  /** Its end was shown. */
  seen() {
    this.end = null;
    changed(STATE.delivery);
  }

  /** The delivery at its end. Throws Refusal. @param {Delivery} delivery */
  async #follow(delivery) {
    this.path = projectPath(`/deliveries/${delivery.id}`);
    this.element.hidden = false;
    this.element.scrollIntoView({ block: "nearest" });
    let now = delivery;
    try {
      while (now.state === "running") {
        this.bar.style.transform = `scaleX(${now.fraction})`;
        this.words.textContent = `${sentence(now.message).slice(0, -1)} · ${percent(now.fraction)}`;
        changed(STATE.delivery);
        await sleep(EVERY_MS);
        now = await get(this.path).catch((error) => {
          if (refusedWith(error, 404)) throw error;
          return now; // try again; the studio may be restarting
        });
      }
    } finally {
      this.element.hidden = true;
    }
    return now;
  }

  cancel() {
    return post(`${this.path}/cancel`);
  }
}
