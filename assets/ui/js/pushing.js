/** "Push to…": one champion to a store; what would travel is said before it does. */
import { follow } from "./bus.js";
import { h } from "./dom.js";
import { begin, ended, jobs } from "./jobs.js";
import { attempt } from "./login.js";
import { get, post } from "./server.js";
import { openSheet } from "./sheet.js";
import { noStores, storeChoice } from "./shelves.js";
import { sentence } from "./words.js";
import { WorkList } from "./work.js";

let shown = null; // the dialog that is open

follow("jobs", () => shown?.drawWork());

export function openPush(champion) {
  return attempt(async () => new Push(champion, await get("/studio/stores")).open());
}

class Push {
  constructor(champion, stores) {
    this.champion = champion;
    this.stores = stores;
    this.store = "";
    this.plan = h("p.plan", { role: "status" });
    this.button = h("button.primary", { type: "button", disabled: true, onclick: () => this.push() }, "Push");
    this.work = new WorkList(h("ul.works", { "aria-label": "Under way" }));
  }

  open() {
    const { title } = this.champion;
    if (!this.stores.length) return openSheet({ title: `Push ${title}`, look: "narrow", body: [noStores()] });
    const choice = storeChoice(this.stores, (name) => this.choose(name));
    shown = this;
    this.sheet = openSheet({
      title: `Push ${title}`,
      look: "narrow",
      body: [choice.element, this.plan, this.work.element],
      actions: [this.button],
      onclose: () => (shown = null),
    });
    return choice.begin();
  }

  /** What a push would do, worked out by the studio, which packages the champion for it. */
  async choose(name) {
    this.store = name;
    this.drawWork();
    this.sheet.say("");
    this.button.disabled = true;
    this.plan.textContent = "Working out what would be sent…";
    try {
      const plan = await post(`/studio/stores/${name}/${this.champion.id}/push?dry_run=true`);
      if (this.store !== name) return;
      this.plan.textContent = sentence(plan.sentence);
      this.button.disabled = plan.action === "nothing";
    } catch (error) {
      if (this.store !== name) return;
      this.plan.textContent = "";
      this.sheet.say(error.message);
    }
  }

  async push() {
    this.button.disabled = true;
    this.plan.textContent = "";
    const job = await begin(() => post(`/studio/stores/${this.store}/${this.champion.id}/push`));
    if (!job) return;
    const done = await ended(job);
    if (done?.state === "done") this.plan.textContent = sentence(done.message);
  }

  drawWork() {
    const mine = (job) => job.kind === "push" && job.champion === this.champion.id && job.store === this.store;
    this.work.show(jobs().filter(mine));
  }
}
