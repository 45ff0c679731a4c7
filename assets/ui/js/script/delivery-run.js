/** A running delivery: progress and Cancel. It continues while its dialog is closed, and every tab shows it. */
import { changed } from "../core/bus.js";
import { h } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { percent, sentence } from "../core/format.js";
import { attempt } from "../core/login.js";
import { get, post, refusedWith } from "../core/server.js";
import { loadJson, saveJson } from "../core/storage.js";
import { sleep } from "../core/timing.js";
import { projectPath, scriptState } from "./state.js";

/** @typedef {{file: string, name: string, bytes: number, where: string, report: any}} Result */
/**
 * @typedef {{id: string, state: string, fraction: number, message: string, error: string, to: string, resumable:
 *   boolean,
 *   result: Result | null}} Delivery
 */

/** @typedef {{project: string, sheet: string, name: string}} Place */

const EVERY_MS = 500;
/** Local storage: by sheet, the deliveries that are running or whose result the user has not seen. */
const KEY = "studio-deliveries";
/**
 * The latest delivery of each sheet. It is kept until the user has seen its result.
 * @type {Map<string, DeliveryRun>}
 */
const runs = new Map();

/** Return the deliveries that are running or whose result the user has not seen. */
export function deliveryRuns() {
  return [...runs.values()].filter(({ end }) => end);
}

/** Return the delivery of a sheet: running, finished but not seen, or new. @param {string} sheet */
export function runOf(sheet) {
  const run = runs.get(sheet) ?? new DeliveryRun();
  runs.set(sheet, run);
  return run;
}

/** Follow the deliveries that another tab started, or that this tab started before it was reloaded. */
export function recoverRuns() {
  /** @type {Record<string, {path: string, place: Place}>} */
  const saved = loadJson(KEY, {});
  for (const [sheet, { path, place }] of Object.entries(saved))
    if (runs.get(sheet)?.path !== path) runOf(sheet).follow(path, place);
  for (const [sheet, run] of runs) if (run.result && !saved[sheet]) run.seen();
}

/** Save the address of a running delivery, or remove it once its result was seen. @param {DeliveryRun} run */
function save({ end, path, place }) {
  const { [place.sheet]: before, ...others } = loadJson(KEY, /** @type {Record<string, unknown>} */ ({}));
  if (!end && !before) return;
  saveJson(KEY, end ? { ...others, [place.sheet]: { path, place } } : others);
}

export class DeliveryRun {
  constructor() {
    this.path = "";
    this.order = ""; // JSON of the order
    /**
     * Resolves to the finished delivery; null if there is none or the user has seen the result.
     * @type {Promise<Delivery> | null}
     */
    this.end = null;
    /** A delivery whose files exist but were not sent to the store. @type {{id: string, order: string} | null} */
    this.failed = null;
    this.running = false;
    this.fraction = 0;
    /** The result of a finished delivery, if it has files. @type {Result | null} */
    this.result = null;
    /** @type {Place} */
    this.place = { project: "", sheet: "", name: "" };
    this.state = ""; // state at the end of the delivery
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
   * Start a delivery of the open sheet. At its end, `onhidden` is called if the dialog is closed.
   * @param {() => Promise<Delivery>} ask @param {(outcome: string) => void} onhidden
   */
  begin(ask, onhidden) {
    const { project, sheet } = scriptState;
    this.place = { project: project?.id ?? "", sheet: sheet?.id ?? "", name: sheet?.name ?? "" };
    const begun = async () => {
      const delivery = await ask();
      this.path = projectPath(`/deliveries/${delivery.id}`, this.place.project);
      save(this);
      return delivery;
    };
    this.#begin(begun, onhidden);
  }

  /** Follow a delivery that was started elsewhere. @param {string} path @param {Place} place */
  follow(path, place) {
    Object.assign(this, { path, place });
    this.#begin(
      () => get(path),
      () => {},
    );
    this.end?.catch((error) => refusedWith(error, 404) && this.seen()); // the studio was restarted and has forgotten it
  }

  /** @param {() => Promise<Delivery>} ask @param {(outcome: string) => void} onhidden */
  #begin(ask, onhidden) {
    const follow = async () => {
      Object.assign(this, { running: true, fraction: 0, result: null, state: "failed" });
      try {
        const done = await this.#follow(await ask());
        Object.assign(this, { state: done.state, result: done.result });
        return done;
      } finally {
        this.running = false;
        changed(STATE.delivery);
        if (!this.element.isConnected) onhidden(this.outcome);
      }
    };
    this.end = follow();
    this.end.catch(() => {}); // the dialog shows the error
    changed(STATE.delivery);
  }

  /** Describe how the delivery ended. */
  get outcome() {
    if (this.state === "done") return "The delivery is complete.";
    return this.state === "cancelled" ? "The delivery was cancelled." : "The delivery failed.";
  }

  /** Record that the user has seen the result. */
  seen() {
    this.end = null;
    save(this);
    changed(STATE.delivery);
  }

  /** Poll a delivery and return it at its end. Throws Refusal. @param {Delivery} delivery */
  async #follow(delivery) {
    this.element.hidden = false;
    this.element.scrollIntoView({ block: "nearest" });
    let now = delivery;
    try {
      while (now.state === "running") {
        this.fraction = now.fraction;
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
