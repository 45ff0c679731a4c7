/** An archive in a store: its state in the library, and buttons to pull or delete it after a confirmation. */
import { freeId } from "../champions/library.js";
import { face } from "../champions/portrait.js";
import { emit } from "../core/bus.js";
import { h, icon, iconButton } from "../core/dom.js";
import { EVENT } from "../core/events.js";
import { moment, sentence, size } from "../core/format.js";
import { attempt } from "../core/login.js";
import { post, remove } from "../core/server.js";
import { currentOf } from "../core/state.js";
import { begin } from "../jobs/jobs.js";
import { JobList } from "../jobs/list.js";

/** @typedef {{look: string, words: string, act: () => unknown, why?: string}} Option */

const HERE = /** @type {const} */ ({
  same: { sign: "check", words: "Up to date" },
  other: { sign: "compare", words: "Different version" },
  absent: { sign: "download", words: "Not in library" },
});

export class ArchiveRow {
  /** @param {string} store @param {StoredArchive} archive */
  constructor(store, archive) {
    this.store = store;
    this.archive = archive;
    this.drawn = "";
    this.head = h("div.held-head");
    this.question = h("div.held-asked", { hidden: true, role: "group", "aria-label": "Confirm" });
    this.jobs = new JobList("Running tasks");
    this.element = h("li.held", {}, this.head, this.question, this.jobs.element);
  }

  /** @param {StoredArchive} archive */
  update(archive) {
    if (JSON.stringify(archive) === this.drawn) return;
    this.drawn = JSON.stringify(archive);
    this.archive = archive;
    const { id, bytes, changed_at, here, note } = archive;
    const facts = [size(bytes), changed_at && moment(changed_at)].filter(Boolean);
    if (note)
      return this.head.replaceChildren(
        icon("warn"),
        h("div.held-words", {}, h("p.held-id", {}, id), h("p.facts", {}, note)),
      );
    const pull = h("button.quiet.small", { type: "button", onclick: () => this.plan() }, "Download");
    pull.setAttribute("aria-label", `Download ${id} from ${this.store}`);
    this.head.replaceChildren(
      face(currentOf(id) ?? { id, colour: "" }),
      h("div.held-words", {}, h("p.held-id", {}, id), h("p.facts", {}, ...facts.map((one) => h("span.fact", {}, one)))),
      h(`span.here.${here}`, {}, icon(HERE[here].sign), HERE[here].words),
      here === "same" ? h("span") : pull,
      iconButton("trash", `Delete ${id} from ${this.store}`, () => this.confirmDelete()),
    );
  }

  get path() {
    return `/studio/stores/${this.store}/${this.archive.id}`;
  }

  /** Ask how to pull the archive, with a description of the effect. */
  async plan() {
    const { id, here } = this.archive;
    const plan = await attempt(() => post(`${this.path}/pull?dry_run=true`));
    if (!plan) return;
    const current = currentOf(id);
    const other = freeId(id);
    if (here !== "other" || !current)
      return this.#ask(sentence(plan.sentence), [
        { look: "primary", words: "Download champion", act: () => this.pull({}) },
      ]);
    return this.#ask(`${sentence(plan.sentence)} The library already has a different champion ${id}.`, [
      { look: "primary", words: `Download as ${other}`, act: () => this.pull({ as_id: other }) },
      {
        look: "quiet",
        words: "Replace my version",
        act: () => this.pull({ expected: current.version }),
        why: "Your current version stays in the list of versions.",
      },
    ]);
  }

  /** @param {Record<string, string>} how */
  async pull(how) {
    await begin(() => post(`${this.path}/pull?${new URLSearchParams(how)}`));
  }

  confirmDelete() {
    const { id, bytes } = this.archive;
    const words = `Permanently delete ${id} (${size(bytes)}) from ${this.store}? Other studios can then no longer download it.`;
    this.#ask(words, [{ look: "quiet", words: "Delete permanently", act: () => this.deleteIt() }]);
  }

  async deleteIt() {
    const deleted = await attempt(() => remove(this.path));
    if (deleted) emit(EVENT.storeChanged, null);
  }

  /** @param {string} words @param {Option[]} options */
  #ask(words, options) {
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    const closing = (/** @type {() => unknown} */ act) => () => {
      this.question.hidden = true;
      this.question.replaceChildren();
      act();
    };
    const button = (/** @type {Option} */ { look, words, act, why }) =>
      h(`button.${look}.small`, { type: "button", title: why, onclick: closing(act) }, words);
    const back = { look: "quiet", words: "Cancel", act: () => before?.focus() };
    this.question.replaceChildren(
      h("p", { role: "alert" }, words),
      h("div.held-ways", {}, ...[...options, back].map(button)),
    );
    this.question.hidden = false;
    this.question.querySelector("button")?.focus();
  }
}
