/** A list of jobs with their progress and buttons. */
import { h, icon, iconButton } from "../core/dom.js";
import { percent, sentence, size } from "../core/format.js";
import { dismiss, isUnderWay, pause, resume } from "./jobs.js";

/** @typedef {(job: Job) => HTMLElement[]} Buttons  returns the buttons of a row for the state of its job */

/** @type {Record<JobKind, (job: Job) => string>} */
const DOES = {
  package: ({ champion }) => `Exporting the archive of ${champion}`,
  import: ({ champion }) => (champion ? `Importing ${champion}` : "Importing an archive"),
  push: ({ champion, store }) => `Uploading ${champion} to ${store}`,
  pull: ({ champion, store }) => `Downloading ${champion} from ${store}`,
  attach: ({ champion }) => `Checking weights for ${champion}`,
  plan: ({ champion }) => `Preparing the upload of ${champion}`,
};
/** The result of a finished job, as a sentence. @type {Record<JobKind, (job: Job) => string>} */
export const DONE = {
  package: ({ champion }) => `The archive of ${champion} is ready.`,
  import: ({ result }) => `${result?.title} imported as ${result?.id}.`,
  push: ({ champion, store }) => `${champion} uploaded to ${store}.`,
  pull: ({ store, result }) => `${result?.title} downloaded from ${store} as ${result?.id}.`,
  attach: ({ champion }) =>
    `The weights work with ${champion}. Play the preview line, then save or discard the weights.`,
  plan: () => "",
};

/** Return a link to download a packaged champion. @param {JobResult} result */
export function download({ archive, name, bytes }) {
  const words = `Download ${size(bytes)}`;
  const names = { "aria-label": `${words}, ${name}`, title: `Download ${name}` };
  return h("a.button.small", { href: archive, download: name, ...names }, icon("download"), words);
}

/** A row for a job. It is redrawn only if the state or the buttons change. */
class JobRow {
  /** @param {Job} job @param {Buttons} buttons */
  constructor(job, buttons) {
    this.job = job;
    this.buttons = buttons;
    this.fill = h("i");
    this.words = h("span.hint");
    this.offered = 0; // number of its own buttons
    this.element = h("li.work");
    this.#draw();
  }

  /** @param {Job} job */
  update(job) {
    const asBefore = this.job.state === job.state && this.job.resumable === job.resumable;
    const drawn = asBefore && this.buttons(job).length === this.offered;
    this.job = job;
    if (!drawn) this.#draw();
    this.#drawProgress();
  }

  #drawProgress() {
    const { state, fraction, message } = this.job;
    this.fill.style.transform = `scaleX(${fraction})`;
    const words = state === "paused" ? "Paused" : sentence(message).slice(0, -1);
    this.words.textContent = [words, percent(fraction)].filter(Boolean).join(" · ");
  }

  #draw() {
    const { job } = this;
    const focused = this.element.contains(document.activeElement);
    this.element.className = `work ${job.state}`;
    this.element.replaceChildren(
      ...(isUnderWay(job) ? this.#underWay() : over(job)),
      h("div.work-acts", {}, ...this.#acts()),
    );
    if (focused) /** @type {HTMLElement | null} */ (this.element.querySelector("button, a"))?.focus();
  }

  #underWay() {
    return [h("p.work-title", {}, DOES[this.job.kind](this.job)), h("div.progress", {}, this.fill), this.words];
  }

  #acts() {
    const { job } = this;
    const button = (/** @type {string} */ words, /** @type {(job: Job) => unknown} */ act) =>
      h("button.quiet.small", { type: "button", onclick: () => act(this.job) }, words);
    const acts = [...this.buttons(job)];
    this.offered = acts.length;
    if (job.state === "running" && job.resumable) acts.push(button("Pause", pause));
    if (job.state === "paused") acts.push(button("Resume", resume));
    if (job.state === "failed" && job.resumable) acts.push(button("Try again", resume));
    if (isUnderWay(job)) acts.push(button("Cancel", dismiss));
    else if (job.kind !== "attach" || job.state === "failed")
      acts.push(iconButton("close", "Dismiss", () => dismiss(this.job)));
    return acts;
  }
}

/** @param {Job} job  a job that has ended */
function over(job) {
  const failed = job.state === "failed";
  const why = job.conflict ? `A different champion with the id ${job.conflict} already exists.` : sentence(job.error);
  const words = failed ? `${DOES[job.kind](job)} failed. ${why}` : DONE[job.kind](job);
  return [h("p.work-title", {}, icon(failed ? "warn" : "check"), h("span", {}, words))];
}

/** Shows jobs as rows. The row of a job is kept while the job is shown. */
export class JobList {
  /** @param {string} label @param {Buttons} buttons */
  constructor(label = "", buttons = () => []) {
    this.element = h("ul.works", { "aria-label": label || null });
    this.buttons = buttons;
    /** @type {Map<string, JobRow>} */ this.rows = new Map();
  }

  /** @param {Job[]} jobs  the jobs to show */
  show(jobs) {
    for (const [id, row] of this.rows) {
      if (jobs.some((job) => job.id === id)) continue;
      row.element.remove();
      this.rows.delete(id);
    }
    jobs.forEach((job, place) => {
      const row = this.rows.get(job.id) ?? new JobRow(job, this.buttons);
      this.rows.set(job.id, row);
      row.update(job);
      if (this.element.children[place] !== row.element)
        this.element.insertBefore(row.element, this.element.children[place] ?? null);
    });
    this.element.hidden = !jobs.length;
  }
}
