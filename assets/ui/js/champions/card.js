/** The card of one champion: facts, reference, preview line, and the actions of the owner. */
import { access } from "../core/access.js";
import { h, icon, iconButton } from "../core/dom.js";
import { languageName, percent, plural } from "../core/format.js";
import { entry, menu } from "../core/menu.js";
import { state, titleOf, tunedEngine, withoutWeights } from "../core/state.js";
import { isArchive } from "../jobs/jobs.js";
import { download, JobList } from "../jobs/list.js";
import { audition, auditionOf, lineOf } from "./audition.js";
import { face } from "./portrait.js";
import { Reference } from "./reference.js";

/** @typedef {(champion: Champion) => unknown} Act */
/**
 * @typedef {{speak: Act, edit: Act, package: Act, more: Record<string, Act>}} Acts  the keys of `more` are the menu's
 *   labels
 */

const SIGNS = /** @type {const} */ ({
  silent: { sign: "play", does: "Play preview line" },
  making: { sign: "stop", does: "Stop preview line" },
  playing: { sign: "pause", does: "Pause preview line" },
});

/** The buttons are created once, so that they keep the focus when the champion changes. */
export class ChampionCard {
  /**
   * @param {Champion} champion
   * @param {Acts} acts
   * @param {import("../jobs/list.js").Buttons} buttons  buttons for the rows of its jobs
   */
  constructor(champion, acts, buttons) {
    this.champion = champion;
    this.acts = acts;
    this.drawn = ""; // JSON of the data that is shown
    this.audition = ""; // state of the preview line that is shown
    this.packaging = false;
    this.face = face(champion);
    this.words = h("div.champion-words");
    this.reference = new Reference(champion);
    this.jobs = new JobList("", buttons);
    this.dots = iconButton("dots", "");
    this.sign = h("span.sign");
    this.line = h("span.said");
    this.progress = h("span.readout");
    this.preview = this.#previewButton();
    this.pack = this.#button("Export archive", (champion) => this.packaging || this.acts.package(champion));
    this.packed = h("span", { hidden: true, "data-owners": true });
    this.element = h(
      "li.champion",
      { tabindex: "-1", "data-id": champion.id },
      h("div.champion-head", {}, this.face, this.words, this.#more()),
      this.reference.element,
      this.preview,
      this.#foot(),
      this.jobs.element,
    );
  }

  #more() {
    const entries = () => Object.entries(this.acts.more).map(([words, act]) => entry(words, () => act(this.champion)));
    const holder = menu(this.dots, entries);
    holder.dataset.owners = "";
    return holder;
  }

  #previewButton() {
    const onclick = () => audition(this.champion);
    return h("button.line", { type: "button", onclick }, this.sign, this.line, this.progress);
  }

  /** @param {string} words @param {Act} act @param {boolean} owners  whether only the owner may use it */
  #button(words, act, owners = true) {
    const onclick = () => act(this.champion);
    return h("button.quiet.small", { type: "button", "data-owners": owners, onclick }, words);
  }

  #foot() {
    const speak = this.#button("Use voice", this.acts.speak, false);
    return h("div.champion-foot", {}, speak, this.#button("Edit", this.acts.edit), this.pack, this.packed);
  }

  /**
   * @param {Champion} champion  from the server
   * @param {string} context  the other data that the card depends on
   */
  update(champion, context) {
    const drawn = JSON.stringify([champion, context]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.champion = champion;
    const { id, title } = champion;
    this.element.setAttribute("aria-label", title);
    this.dots.setAttribute("aria-label", `More actions for ${title}`);
    this.dots.title = `More actions for ${title}`;
    this.face = replaced(this.face, face(champion));
    this.words.replaceChildren(
      h("h3", { title }, title),
      h("p.champion-id", { title: "Champion id and archive name" }, id),
      this.#facts(),
    );
    const reference = new Reference(champion);
    replaced(this.reference.element, reference.element);
    this.reference = reference;
    this.line.textContent = lineOf(champion);
    this.audition = "";
    this.drawLine();
  }

  #facts() {
    const { engine, language, votes, fine_tuned, consent } = this.champion;
    const fact = (/** @type {string} */ words, /** @type {string} */ title) => h("span.fact", { title }, words);
    const count = votes ? plural(votes.won + votes.tied + votes.lost, "vote") : "";
    return h(
      "p.facts",
      {},
      fact(titleOf(engine), "Preferred engine"),
      language && fact(languageName(language), "Language of this champion. Edit the champion to change the language."),
      fine_tuned &&
        fact(
          "fine-tuned",
          `Has fine-tuned weights for ${tunedEngine()?.title ?? "another engine"}. ${withoutWeights()}`,
        ),
      votes && fact(`${votes.won} of ${count}`, "Wins in blind tests"),
      access.owner && !consent && fact("no consent", "No consent recorded. Edit the champion to add the consent."),
    );
  }

  /** @param {Job[]} jobs  the jobs of this champion; a link to a packaged archive replaces the Package button */
  drawJobs(jobs) {
    const packed = jobs.find(isArchive);
    this.jobs.show(jobs.filter((job) => job !== packed));
    this.packaging = jobs.some((job) => job.kind === "package" && job.state === "running");
    this.pack.setAttribute("aria-disabled", String(this.packaging)); // the attribute "disabled" would remove the focus
    if (this.packed.dataset.job === String(packed?.id)) return;
    const focused = this.pack === document.activeElement || this.packed.contains(document.activeElement);
    const link = packed?.result && download(packed.result);
    this.packed.dataset.job = String(packed?.id);
    this.packed.replaceChildren(...(link ? [link] : []));
    this.packed.hidden = !packed;
    this.pack.hidden = Boolean(packed);
    if (focused) (link ?? this.pack).focus();
  }

  drawLine() {
    const now = auditionOf(this.champion);
    this.progress.textContent = now === "making" && state.synthesis ? percent(state.synthesis.progress) : "";
    if (this.audition === now) return;
    this.audition = now;
    this.preview.classList.toggle("sounds", now !== "silent");
    this.sign.replaceChildren(icon(SIGNS[now].sign));
    this.preview.setAttribute("aria-label", `${SIGNS[now].does}: ${lineOf(this.champion)}`);
  }
}

/**
 * Replace one element by another, and return the new one.
 * @template {HTMLElement} T @param {HTMLElement} before @param {T} element
 */
function replaced(before, element) {
  before.replaceWith(element);
  return element;
}
