/** The caches of an engine: contents, hit rate, and a button that empties a cache. */
import { askWhich } from "../core/dialog.js";
import { arrange, h, isDisabled, setDisabled } from "../core/dom.js";
import { percent, plural, size } from "../core/format.js";
import { attempt } from "../core/login.js";
import { post, reason, refusedWith } from "../core/server.js";
import { refreshTelemetry } from "../core/telemetry.js";
import { clearFailures, toast } from "../core/toast.js";

/** Title of each cache, and the cost of clearing the cache. @type {Record<string, [title: string, cost: string]>} */
const CACHED = {
  codes: ["Encoded clips", "Clearing also removes the files on disk. Each clip is then encoded once more."],
  prefixes: ["Prepared references", "After clearing, the next take of each voice has a later first audio."],
  references: ["References", "After clearing, the next take of each voice starts a little later."],
  weights: [
    "Fine-tuned weights",
    "After clearing, the next take of each fine-tuned champion reads its weights from disk.",
  ],
};

export class Caches {
  /** @param {string} engine */
  constructor(engine) {
    this.engine = engine;
    this.element = h("ul.caches");
    /** @type {Map<string, CacheRow>} */
    this.rows = new Map();
  }

  /** @param {CacheCount[]} caches */
  update(caches) {
    this.element.hidden = !caches.length;
    const rows = caches.map((cache) => {
      const row = this.rows.get(cache.name) ?? new CacheRow(this.engine, cache.name);
      this.rows.set(cache.name, row);
      row.update(cache);
      return row.element;
    });
    arrange(this.element, rows);
  }

  /** @param {boolean} lost  whether the studio stopped answering */
  setLost(lost) {
    for (const row of this.rows.values()) row.setLost(lost);
  }
}

class CacheRow {
  /** @param {string} engine @param {string} name */
  constructor(engine, name) {
    const [title, cost] = CACHED[name] ?? [name, "The next takes may start later."];
    this.title = title;
    this.cost = cost;
    this.path = `/studio/engines/${engine}/caches/${name}/clear`;
    this.held = h("span");
    this.hits = h("span");
    const label = `Clear ${title.toLowerCase()}`;
    const onclick = () => this.press();
    this.asking = false;
    this.lost = false;
    this.button = h("button.quiet.small", { type: "button", "aria-label": label, onclick }, "Clear");
    this.drawn = "";
    this.element = h("li.cache", {}, h("b", {}, title), this.held, this.hits, h("small", {}, cost), this.button);
  }

  /** @param {CacheCount} cache */
  update({ entries, bytes, found, missed }) {
    const lookups = found + missed;
    const drawn = [entries, bytes, found, missed].join();
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.held.textContent = entries ? `${plural(entries, "entry", "entries")}, ${size(bytes)}` : "empty";
    this.hits.textContent = lookups ? `${percent(found / lookups)} hits (${found} of ${lookups})` : "not used yet";
    this.hits.title = "Lookups since the engine was loaded";
  }

  /** @param {boolean} lost */
  setLost(lost) {
    this.lost = lost;
    this.drawButton();
  }

  drawButton() {
    setDisabled(this.button, this.asking || this.lost);
  }

  /** @param {boolean} asking */
  setAsking(asking) {
    this.asking = asking;
    this.drawButton();
  }

  /** @returns {void} */
  press() {
    if (!isDisabled(this.button)) this.clear(false);
  }

  /** Empty the cache; ask first while a request uses the engine. @param {boolean} in_use */
  async clear(in_use) {
    clearFailures();
    await attempt(async () => {
      this.setAsking(true);
      try {
        const { entries, bytes } = await post(`${this.path}?in_use=${in_use}`);
        const removed = entries ? `${plural(entries, "entry", "entries")} (${size(bytes)}) removed` : "it was empty";
        toast(`${this.title}: ${removed}.`);
        await refreshTelemetry();
      } catch (error) {
        if (!refusedWith(error, 409)) throw error;
        askWhich(`Clear ${this.title.toLowerCase()} now?`, `${reason(error)} ${this.cost} Undo is not possible.`, {
          "Keep the cache": () => {},
          "Clear now": () => this.clear(true),
        });
      } finally {
        this.setAsking(false);
      }
    });
  }
}
