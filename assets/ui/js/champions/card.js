/** One champion on its card: seen, heard, spoken with, and for its owner everything else. */
import { access } from "../core/access.js";
import { h, icon, iconButton } from "../core/dom.js";
import { percent, plural } from "../core/format.js";
import { entry, menu } from "../core/menu.js";
import { state, titleOf } from "../core/state.js";
import { isArchive } from "../jobs/jobs.js";
import { download, JobList } from "../jobs/list.js";
import { audition, auditionOf, lineOf } from "./audition.js";
import { face } from "./portrait.js";
import { Reference } from "./reference.js";

/** @typedef {(champion: Champion) => unknown} Act */
/** @typedef {{speak: Act, edit: Act, package: Act, more: Record<string, Act>}} Acts  `more` by the words of the menu */

const SIGNS = /** @type {const} */ ({
  silent: { sign: "play", does: "Play preview line" },
  making: { sign: "stop", does: "Stop preview line" },
  playing: { sign: "pause", does: "Pause preview line" },
});

/** Its buttons live as long as the card, so that they keep the focus whatever is saved meanwhile. */
export class ChampionCard {
  /** @param {Champion} champion @param {Acts} acts @param {import("../jobs/list.js").Buttons} buttons  of its jobs */
  constructor(champion, acts, buttons) {
    this.champion = champion;
    this.acts = acts;
    this.drawn = ""; // what it was drawn from
    this.audition = ""; // likewise
    this.packaging = false;
    this.face = face(champion);
    this.words = h("div.champion-words");
    this.reference = new Reference(champion);
    this.jobs = new JobList("", buttons);
    this.dots = iconButton("dots", "");
    this.sign = h("span.sign");
    this.line = h("span.said");
    this.progress = h("span.readout");
    this.hear = this.#hearButton();
    this.pack = this.#button("Package", (champion) => this.packaging || this.acts.package(champion));
    this.packed = h("span", { hidden: true, "data-owners": true });
    this.element = h(
      "li.champion",
      { tabindex: "-1", "data-id": champion.id },
      h("div.champion-head", {}, this.face, this.words, this.#more()),
      this.reference.element,
      this.hear,
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

  #hearButton() {
    const onclick = () => audition(this.champion);
    return h("button.line", { type: "button", onclick }, this.sign, this.line, this.progress);
  }

  /** @param {string} words @param {Act} act @param {boolean} owners  whether it is the owner's alone */
  #button(words, act, owners = true) {
    const onclick = () => act(this.champion);
    return h("button.quiet.small", { type: "button", "data-owners": owners, onclick }, words);
  }

  #foot() {
    const speak = this.#button("Use voice", this.acts.speak, false);
    return h("div.champion-foot", {}, speak, this.#button("Edit", this.acts.edit), this.pack, this.packed);
  }

  /**
   * @param {Champion} champion  as the server tells it now @param {string} context  whatever else the card depends on
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
    const { engine, votes, fine_tuned, consent } = this.champion;
    const fact = (/** @type {string} */ words, /** @type {string} */ title) => h("span.fact", { title }, words);
    const count = votes ? plural(votes.won + votes.tied + votes.lost, "vote") : "";
    return h(
      "p.facts",
      {},
      fact(titleOf(engine), "Preferred engine"),
      fine_tuned && fact("fine-tuned", "Has fine-tuned weights for F5-TTS. S1-Mini uses the reference."),
      votes && fact(`${votes.won} of ${count}`, "Wins in blind tests"),
      access.owner && !consent && fact("no consent", "No consent recorded. Edit the champion to add the consent."),
    );
  }

  /** @param {Job[]} jobs  on this champion; of what is packaged, the archive stands where Package was */
  drawJobs(jobs) {
    const packed = jobs.find(isArchive);
    this.jobs.show(jobs.filter((job) => job !== packed));
    this.packaging = jobs.some((job) => job.kind === "package" && job.state === "running");
    this.pack.setAttribute("aria-disabled", String(this.packaging)); // "disabled" would take the focus from it
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
    this.hear.classList.toggle("sounds", now !== "silent");
    this.sign.replaceChildren(icon(SIGNS[now].sign));
    this.hear.setAttribute("aria-label", `${SIGNS[now].does}: ${lineOf(this.champion)}`);
  }
}

/** Puts one element where another stood. @template {HTMLElement} T @param {HTMLElement} before @param {T} element */
function replaced(before, element) {
  before.replaceWith(element);
  return element;
}
