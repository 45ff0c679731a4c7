/** The view of a session whose sounds are not made yet. It tries again by itself while the tab is visible. */
import { announce, h } from "./dom.js";

/** @import { View } from "./types.d.ts" */

const INTERVAL_MS = 10_000;
const WORDS = "This page opens the session as soon as the studio has made all sounds.";

/** @implements {View} */
export class WaitingView {
  polls = true;

  /** @param {() => Promise<unknown>} attempt  shows another view if the session is ready, else calls `note` */
  constructor(attempt) {
    this.attempt = attempt;
    this.timer = 0;
    this.running = false; // a request runs
    this.checked = h("p.hint");
    this.focus = h("h2", { tabindex: "-1" }, "This session is not ready yet");
    const button = h("button.primary", { type: "button", onclick: () => this.#tryNow() }, "Try again");
    this.element = h("section.waiting", {}, this.focus, h("p.lead", {}, WORDS), this.checked, button);
    this.check = () => this.#check();
    document.addEventListener("visibilitychange", this.check);
    addEventListener("online", this.check);
    this.#schedule();
  }

  get isShown() {
    return this.element.isConnected;
  }

  /** Show the result of the latest check. @param {string} result */
  note(result) {
    this.checked.textContent = `Last checked at ${new Date().toLocaleTimeString()}: ${result.replace(/\.$/, "")}.`;
  }

  leave() {
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.check);
    removeEventListener("online", this.check);
  }

  #schedule() {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.check, INTERVAL_MS);
  }

  /** Try again, unless the tab is hidden. A hidden tab tries again when it is visible. */
  async #check() {
    clearTimeout(this.timer);
    if (document.hidden || this.running) return;
    this.running = true;
    try {
      await this.attempt();
    } finally {
      this.running = false;
      if (this.isShown) this.#schedule();
    }
  }

  async #tryNow() {
    await this.#check();
    if (this.isShown) announce(this.checked.textContent);
  }
}
