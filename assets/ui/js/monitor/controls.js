/** The controls of an engine, which only the owner may use: Load or Unload, Reload, and the choice of the idle time. */
import { announce, h, isDisabled, setDisabled, setText } from "../core/dom.js";
import { sentence } from "../core/format.js";
import { attempt } from "../core/login.js";
import { post } from "../core/server.js";
import { refreshTelemetry } from "../core/telemetry.js";
import { clearFailures, toast } from "../core/toast.js";
import { IdleChoice } from "./idle-choice.js";

export class EngineControls {
  /** @param {EngineStatus} status */
  constructor({ name, title }) {
    this.name = name;
    this.title = title;
    this.state = "";
    this.verb = "load"; // action of the first button
    this.asking = false; // whether a request of a button runs
    this.lost = false; // whether the studio stopped answering
    this.awaited = ""; // action whose result was not shown yet
    this.idle = new IdleChoice(name, title);
    this.button = h("button.quiet", { type: "button" });
    this.reload = h(
      "button.quiet",
      {
        type: "button",
        "aria-label": `Reload ${title}`,
        title: "Unload the engine and load its checkpoint again",
      },
      "Reload",
    );
    this.button.addEventListener("click", () => this.press(this.button, this.verb));
    this.reload.addEventListener("click", () => this.press(this.reload, "reload"));
    this.element = h("div.engine-controls", {}, this.idle.element, this.reload, this.button);
  }

  /** @param {EngineStatus} status */
  update({ state, message }) {
    this.state = state;
    this.verb = state === "ready" || state === "warming" ? "unload" : "load";
    const words = this.verb === "unload" ? "Unload" : state === "failed" ? "Load again" : "Load";
    setText(this.button, words);
    this.button.setAttribute("aria-label", `${words} ${this.title}`);
    this.drawButtons();
    this.report(message);
  }

  /** @param {boolean} lost */
  setLost(lost) {
    this.lost = lost;
    this.drawButtons();
  }

  drawButtons() {
    const waits = this.asking || this.lost || this.state === "loading";
    setDisabled(this.button, waits);
    setDisabled(this.reload, waits || this.verb === "load");
  }

  /** @param {HTMLElement} button @param {string} verb */
  async press(button, verb) {
    if (isDisabled(button)) return;
    clearFailures();
    this.asking = true;
    this.drawButtons();
    await attempt(async () => {
      await post(`/studio/engines/${this.name}/${verb}`);
      announce(`${verb === "unload" ? "Unloading" : "Loading"} ${this.title}…`);
      this.awaited = verb;
      await refreshTelemetry();
    });
    this.asking = false;
    this.drawButtons();
  }

  /** Show the result of the last action as soon as the state contains it. @param {string} message  of the engine */
  report(message) {
    if (this.awaited === "reload") {
      this.awaited = "load"; // this first status may be older than the reload
      return;
    }
    const results = this.awaited === "unload" ? ["unloaded"] : ["ready", "failed"];
    if (!this.awaited || !results.includes(this.state)) return;
    this.awaited = "";
    if (this.state === "failed") toast(`Loading ${this.title} failed: ${sentence(message)}`, { failed: true });
    else toast(`${this.title} is ${this.state === "ready" ? "loaded" : "unloaded"}.`);
  }
}
