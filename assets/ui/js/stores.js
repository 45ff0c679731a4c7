/** "Pull from…": what a store holds, what of it is here, and bringing it over. */
import { follow, on } from "./bus.js";
import { h } from "./dom.js";
import { StoreRow } from "./held.js";
import { jobs } from "./jobs.js";
import { attempt } from "./login.js";
import { get } from "./server.js";
import { openSheet } from "./sheet.js";
import { noStores, storeChoice } from "./shelves.js";
import { plural, size } from "./words.js";
import { DONE } from "./work.js";

let shown = null; // the dialog that is open

follow("jobs", () => shown?.drawWork());
on(
  "job-done",
  (job) => ["push", "pull"].includes(job.kind) && job.store === shown?.store && shown.look(DONE[job.kind](job)),
);
on("store-changed", () => shown?.look("It is deleted."));

export function openStores() {
  return attempt(async () => new Browser(await get("/studio/stores")).open());
}

class Browser {
  constructor(stores) {
    this.stores = stores;
    this.store = "";
    this.rows = new Map(); // id -> StoreRow
    this.count = h("p.hint", { role: "status" });
    this.list = h("ul.held-list");
  }

  open() {
    const title = "Pull from a store";
    if (!this.stores.length) return openSheet({ title, look: "narrow", body: [noStores()] });
    const choice = storeChoice(this.stores, (name) => this.choose(name));
    shown = this;
    const body = [choice.element, this.count, this.list];
    this.sheet = openSheet({ title, look: "wide", body, onclose: () => (shown = null) });
    return choice.begin();
  }

  choose(name) {
    this.store = name;
    this.rows.clear();
    this.list.replaceChildren();
    this.count.textContent = "Looking what it holds…";
    return this.look();
  }

  /** Ask the store again; rows that stay keep what is open in them. */
  async look(news = "") {
    const name = this.store;
    this.sheet.say("");
    try {
      const held = await get(`/studio/stores/${name}`);
      if (this.store === name) this.draw(held, news);
    } catch (error) {
      if (this.store !== name) return;
      this.count.textContent = "";
      this.sheet.say(error.message);
    }
  }

  draw(held, news) {
    const bytes = held.reduce((sum, one) => sum + one.bytes, 0);
    const words = `${plural(held.length, "archive")}, ${size(bytes)}.`;
    const none = "It holds no archive yet. Push a champion there from its card.";
    this.count.textContent = [news, held.length ? words : none].filter(Boolean).join(" ");
    const ids = new Set(held.map(({ id }) => id));
    for (const id of this.rows.keys()) if (!ids.has(id)) this.rows.delete(id);
    for (const one of held) {
      const row = this.rows.get(one.id) ?? new StoreRow(this.store);
      row.update(one);
      this.rows.set(one.id, row);
    }
    this.list.replaceChildren(...held.map(({ id }) => this.rows.get(id).element));
    this.drawWork();
  }

  drawWork() {
    for (const [id, row] of this.rows) {
      const mine = (job) => job.kind === "pull" && job.store === this.store && job.champion === id;
      row.work.show(jobs().filter(mine));
    }
  }
}
