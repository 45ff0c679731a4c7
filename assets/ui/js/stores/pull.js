/** The Pull dialog: the archives of a store, and whether the library has them. */
import { follow, on } from "../core/bus.js";
import { openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import { plural, size } from "../core/format.js";
import { attempt } from "../core/login.js";
import { get, reason } from "../core/server.js";
import { jobs } from "../jobs/jobs.js";
import { DONE } from "../jobs/list.js";
import { ArchiveRow } from "./archive-row.js";
import { noStores, storeChoice } from "./choice.js";

/** The open dialog. @type {PullDialog | null} */
let shown = null;

follow(STATE.jobs, () => shown?.drawJobs());
on(EVENT.jobDone, (job) => {
  if (["push", "pull"].includes(job.kind) && job.store === shown?.store) shown.look(DONE[job.kind](job));
});
on(EVENT.storeChanged, () => shown?.look("Archive deleted."));

export function openPull() {
  return attempt(async () => {
    const stores = await get("/studio/stores");
    const title = "Download from a store";
    if (stores.length) new PullDialog(title, stores);
    else openDialog({ title, look: "narrow", body: [noStores()] });
  });
}

class PullDialog {
  /** @param {string} title @param {Store[]} stores */
  constructor(title, stores) {
    this.store = "";
    /** @type {Map<string, ArchiveRow>} */ this.rows = new Map();
    this.count = h("p.hint", { role: "status" });
    this.list = h("ul.held-list");
    const choice = storeChoice(stores, (name) => this.choose(name));
    const onclose = () => {
      shown = null;
    };
    shown = this;
    this.dialog = openDialog({ title, look: "wide", body: [choice.element, this.count, this.list], onclose });
    choice.begin();
  }

  /** @param {string} name */
  choose(name) {
    this.store = name;
    this.rows.clear();
    this.list.replaceChildren();
    this.count.textContent = "Loading archives…";
    return this.look();
  }

  /**
   * Load the archives again. Rows that stay keep their open questions.
   * @param {string} news  shown before the number of archives
   */
  async look(news = "") {
    const name = this.store;
    this.dialog.showError("");
    try {
      const archives = await get(`/studio/stores/${name}`);
      if (this.store === name) this.draw(archives, news);
    } catch (error) {
      if (this.store !== name) return;
      this.count.textContent = "";
      this.dialog.showError(reason(error));
    }
  }

  /** @param {StoredArchive[]} archives @param {string} news */
  draw(archives, news) {
    const bytes = archives.reduce((sum, one) => sum + one.bytes, 0);
    const words = `${plural(archives.length, "archive")}, ${size(bytes)}.`;
    const none = "No archives in this store. To add one, choose “Upload to store…” in the menu of a champion.";
    this.count.textContent = [news, archives.length ? words : none].filter(Boolean).join(" ");
    const ids = new Set(archives.map(({ id }) => id));
    for (const id of this.rows.keys()) if (!ids.has(id)) this.rows.delete(id);
    const rows = archives.map((archive) => this.#row(archive));
    this.list.replaceChildren(...rows.map(({ element }) => element));
    this.drawJobs();
  }

  /** @param {StoredArchive} archive */
  #row(archive) {
    const row = this.rows.get(archive.id) ?? new ArchiveRow(this.store, archive);
    this.rows.set(archive.id, row);
    row.update(archive);
    return row;
  }

  drawJobs() {
    for (const [id, row] of this.rows) {
      const mine = (/** @type {Job} */ job) => job.kind === "pull" && job.store === this.store && job.champion === id;
      row.jobs.show(jobs().filter(mine));
    }
  }
}
