/** The Push dialog: sends a champion to a store, after a description of the effect. */
import { follow } from "../core/bus.js";
import { openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { sentence } from "../core/format.js";
import { attempt } from "../core/login.js";
import { get, post, reason } from "../core/server.js";
import { begin, ended, jobs } from "../jobs/jobs.js";
import { JobList } from "../jobs/list.js";
import { noStores, storeChoice } from "./choice.js";

/** The open dialog. @type {PushDialog | null} */
let shown = null;

follow(STATE.jobs, () => shown?.drawJobs());

/** @param {Champion} champion */
export function openPush(champion) {
  return attempt(async () => {
    const stores = await get("/studio/stores");
    const title = `Upload ${champion.title}`;
    if (stores.length) new PushDialog(champion, title, stores);
    else openDialog({ title, look: "narrow", body: [noStores()] });
  });
}

class PushDialog {
  /** @param {Champion} champion @param {string} title @param {Store[]} stores */
  constructor(champion, title, stores) {
    this.champion = champion;
    this.store = "";
    this.plan = h("p.plan", { role: "status" });
    this.button = h(
      "button.primary",
      { type: "button", disabled: true, onclick: () => this.push() },
      "Upload champion",
    );
    this.jobs = new JobList("Running tasks");
    const choice = storeChoice(stores, (name) => this.choose(name));
    const onclose = () => {
      shown = null;
    };
    const body = [choice.element, this.plan, this.jobs.element];
    shown = this;
    this.dialog = openDialog({ title, look: "narrow", body, actions: [this.button], onclose });
    choice.begin();
  }

  get path() {
    return `/studio/stores/${this.store}/${this.champion.id}/push`;
  }

  /** Show what a push would do. The studio packages the champion to find out. @param {string} name */
  async choose(name) {
    this.store = name;
    this.drawJobs();
    this.dialog.showError("");
    this.button.disabled = true;
    this.plan.textContent = "Checking the store…";
    try {
      const plan = await post(`${this.path}?dry_run=true`);
      if (this.store !== name) return;
      this.plan.textContent = sentence(plan.sentence);
      this.button.disabled = plan.action === "nothing";
    } catch (error) {
      if (this.store !== name) return;
      this.plan.textContent = "";
      this.dialog.showError(reason(error));
    }
  }

  async push() {
    this.button.disabled = true;
    this.plan.textContent = "";
    const job = await begin(() => post(this.path));
    const done = job && (await ended(job));
    if (done?.state === "done") this.plan.textContent = sentence(done.message);
  }

  drawJobs() {
    const mine = (/** @type {Job} */ job) =>
      job.kind === "push" && job.champion === this.champion.id && job.store === this.store;
    this.jobs.show(jobs().filter(mine));
  }
}
