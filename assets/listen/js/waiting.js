/** The view of a session whose sounds are not made yet. It tries again by itself while the tab is visible. */
import { announce, h } from "./dom.js";

/** @import { View } from "./types.d.ts" */

const EVERY_MS = 10_000;
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
    this.turn = () => this.#turn();
    document.addEventListener("visibilitychange", this.turn);
    addEventListener("online", this.turn);
    this.#plan();
  }

  get isShown() {
    return this.element.isConnected;
  }

  /** Show what the latest check found. @param {string} found */
  note(found) {
    this.checked.textContent = `Last check at ${new Date().toLocaleTimeString()}: ${found.replace(/\.$/, "")}.`;
  }

  leave() {
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.turn);
    removeEventListener("online", this.turn);
  }

  #plan() {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.turn, EVERY_MS);
  }

  /** Try again, unless the tab is hidden. A hidden tab tries again when it is visible. */
  async #turn() {
    clearTimeout(this.timer);
    if (document.hidden || this.running) return;
    this.running = true;
    await this.attempt();
    this.running = false;
    if (this.isShown) this.#plan();
  }

  async #tryNow() {
    await this.#turn();
    if (this.isShown) announce(this.checked.textContent);
  }
}
