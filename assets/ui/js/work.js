/** One piece of the studio's work on screen: what it does, how far it is, and what can be done about it. */
import { h, icon, iconButton } from "./dom.js";
import { dismiss, isUnderWay, pause, resume } from "./jobs.js";
import { percent, sentence, size } from "./words.js";

const DOES = {
  package: ({ champion }) => `Packaging ${champion}`,
  import: ({ champion }) => (champion ? `Importing ${champion}` : "Importing an archive"),
  push: ({ champion, store }) => `Pushing ${champion} to ${store}`,
  pull: ({ champion, store }) => `Pulling ${champion} from ${store}`,
  attach: ({ champion }) => `Checking weights for ${champion}`,
};
/** What came of work, in a sentence. */
export const DONE = {
  package: ({ champion }) => `${champion} is packaged.`,
  import: ({ result: { id, title } }) => `${title} is imported as ${id}.`,
  push: ({ champion, store }) => `${store} holds ${champion} now.`,
  pull: ({ store, result: { id, title } }) => `${title} came from ${store} as ${id}.`,
  attach: ({ champion }) => `The weights fit. Hear ${champion} with them, then keep or drop them.`,
};

/** A packaged champion, to be taken away. */
export function download({ archive, name, bytes }) {
  const words = { "aria-label": `Download ${name}, ${size(bytes)}`, title: `Download ${name}` };
  return h("a.button.small", { href: archive, download: name, ...words }, icon("download"), size(bytes));
}

/** The line of a piece of work. It is drawn anew where its state changes, and only told otherwise. */
export class WorkLine {
  /** @param {(job: object) => Node[]} more  further buttons, by what has become of it */
  constructor(job, more = () => []) {
    this.more = more;
    this.element = h("li.work");
    this.tell(job);
  }

  tell(job) {
    const drawn = this.job?.state === job.state && this.job?.resumable === job.resumable;
    this.job = job;
    if (!drawn) this.#draw();
    if (!this.bar) return;
    this.bar.style.transform = `scaleX(${job.fraction})`;
    this.words.textContent = [
      job.state === "paused" ? "Paused" : sentence(job.message).slice(0, -1),
      percent(job.fraction),
    ]
      .filter(Boolean)
      .join(" · ");
  }

  #draw() {
    const { job } = this;
    const focused = this.element.contains(document.activeElement);
    this.bar = null;
    this.element.className = `work ${job.state}`;
    this.element.replaceChildren(
      ...(isUnderWay(job) ? this.#underWay() : this.#over()),
      h("div.work-acts", {}, ...this.#acts()),
    );
    if (focused) this.element.querySelector("button, a")?.focus();
  }

  #underWay() {
    this.bar = h("i");
    this.words = h("span.hint");
    return [h("p.work-title", {}, DOES[this.job.kind](this.job)), h("div.progress", {}, this.bar), this.words];
  }

  #over() {
    const { job } = this;
    const failed = job.state === "failed";
    const why = job.conflict ? `${job.conflict} is here already, and not the same.` : sentence(job.error);
    const words = failed ? `${DOES[job.kind](job)} failed. ${why}` : DONE[job.kind](job);
    return [h("p.work-title", {}, icon(failed ? "warn" : "check"), h("span", {}, words))];
  }

  #acts() {
    const { job } = this;
    const button = (words, act) => h("button.quiet.small", { type: "button", onclick: () => act(this.job) }, words);
    const acts = [...this.more(job)];
    if (job.state === "running" && job.resumable) acts.push(button("Pause", pause));
    if (job.state === "paused") acts.push(button("Go on", resume));
    if (job.state === "failed" && job.resumable) acts.push(button("Try again", resume));
    if (isUnderWay(job)) acts.push(button("Cancel", dismiss));
    else if (job.kind !== "attach" || job.state === "failed")
      acts.push(iconButton("close", "Dismiss", () => dismiss(this.job)));
    return acts;
  }
}

/** Lines for some of the work, kept alive by id. */
export class WorkList {
  constructor(element, more) {
    this.element = element;
    this.more = more;
    this.lines = new Map();
  }

  /** @param {object[]} jobs  those to show */
  show(jobs) {
    for (const [id, line] of this.lines) {
      if (jobs.some((job) => job.id === id)) continue;
      line.element.remove();
      this.lines.delete(id);
    }
    jobs.forEach((job, place) => {
      if (this.lines.has(job.id)) this.lines.get(job.id).tell(job);
      else this.lines.set(job.id, new WorkLine(job, this.more));
      const { element } = this.lines.get(job.id);
      if (this.element.children[place] !== element) this.element.insertBefore(element, this.element.children[place] ?? null);
    });
    this.element.hidden = !jobs.length;
  }
}
