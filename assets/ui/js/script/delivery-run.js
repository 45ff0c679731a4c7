/** A delivery under way: how far it is, and a way to stop it. */
import { h } from "../core/dom.js";
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

export class DeliveryRun {
  constructor() {
    this.path = "";
    this.bar = h("i");
    this.words = h("span.hint", { role: "status" });
    const stop = h("button.quiet.small", { type: "button", onclick: () => attempt(() => this.stop()) }, "Stop");
    this.element = h(
      "div.delivery-progress",
      { hidden: true },
      h("span.progress", { "aria-hidden": "true" }, this.bar),
      this.words,
      stop,
    );
  }

  /** The delivery at its end. Throws Refusal. @param {Delivery} delivery */
  async follow(delivery) {
    this.path = projectPath(`/deliveries/${delivery.id}`);
    this.element.hidden = false;
    this.element.scrollIntoView({ block: "nearest" });
    let now = delivery;
    try {
      while (now.state === "running") {
        this.bar.style.transform = `scaleX(${now.fraction})`;
        this.words.textContent = `${sentence(now.message).slice(0, -1)} · ${percent(now.fraction)}`;
        if (!this.element.isConnected) await this.stop(); // the dialog was closed
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

  stop() {
    return post(`${this.path}/cancel`);
  }
}
