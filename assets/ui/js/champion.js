/** One champion on its card: seen, heard, spoken with, and for its owner everything else. */
import { h, icon, iconButton } from "./dom.js";
import { hearLine, hearingOf, lineOf } from "./hearing.js";
import { isArchive } from "./jobs.js";
import { face } from "./mark.js";
import { me } from "./me.js";
import { entry, menu } from "./menu.js";
import { Reference } from "./reference.js";
import { engineOf, state } from "./state.js";
import { percent, plural } from "./words.js";
import { WorkList, download } from "./work.js";

const HEARD = {
  silent: { sign: "play", does: "Hear it say" },
  making: { sign: "stop", does: "Stop making" },
  playing: { sign: "pause", does: "Pause" },
};

/** Its buttons live as long as the card, so that they keep the focus whatever is saved meanwhile. */
export class ChampionCard {
  /**
   * @param champion  as the server tells it
   * @param acts  what can be done with it: speak, edit, package, and `more`, by the words of the menu
   * @param more  see WorkLine
   */
  constructor(champion, acts, more) {
    this.acts = acts;
    this.about = "";
    this.face = h("span");
    this.words = h("div.champion-words");
    this.reference = { element: h("div") };
    this.work = new WorkList(h("ul.works"), more);
    this.element = h(
      "li.champion",
      { tabindex: "-1", "data-id": champion.id },
      h("div.champion-head", {}, this.face, this.words, this.#more()),
      this.reference.element,
      this.#line(),
      this.#foot(),
      this.work.element,
    );
  }

  #more() {
    this.dots = iconButton("dots", "");
    const entries = () => Object.entries(this.acts.more).map(([words, act]) => entry(words, () => act(this.champion)));
    const holder = menu(this.dots, entries);
    holder.dataset.owners = "";
    return holder;
  }

  #line() {
    this.sign = h("span.sign");
    this.said = h("span.said");
    this.standing = h("span.readout");
    const onclick = () => hearLine(this.champion);
    this.line = h("button.line", { type: "button", onclick }, this.sign, this.said, this.standing);
    return this.line;
  }

  #foot() {
    const press = (words, act, owners = true) =>
      h("button.quiet.small", { type: "button", "data-owners": owners, onclick: () => act(this.champion) }, words);
    this.pack = press("Package", (champion) => this.busy || this.acts.package(champion));
    this.packed = h("span", { hidden: true, "data-owners": true });
    const speak = press("Speak with it", this.acts.speak, false);
    return h("div.champion-foot", {}, speak, press("Edit", this.acts.edit), this.pack, this.packed);
  }

  /** @param champion  as the server tells it now @param {string} seen  whatever else the card depends on */
  update(champion, seen) {
    const about = JSON.stringify([champion, seen]);
    if (about === this.about) return;
    this.about = about;
    this.champion = champion;
    const { id, title } = champion;
    this.element.setAttribute("aria-label", title);
    this.dots.setAttribute("aria-label", `More for ${title}`);
    this.dots.title = `More for ${title}`;
    this.face = replaced(this.face, face(champion));
    this.words.replaceChildren(
      h("h3", { title }, title),
      h("p.champion-id", { title: "Its id, and its archive’s name" }, id),
      this.#facts(),
    );
    const reference = new Reference(champion);
    replaced(this.reference.element, reference.element);
    this.reference = reference;
    this.said.textContent = lineOf(champion);
    this.heard = "";
    this.drawLine();
  }

  #facts() {
    const { engine, votes, fine_tuned, consent } = this.champion;
    const count = votes && plural(votes.won + votes.tied + votes.lost, "vote");
    const facts = [
      [engineOf(engine)?.title ?? engine.toUpperCase(), "The engine it is preferred with"],
      fine_tuned && ["own weights", "Fine-tuned for F5-TTS; S1-Mini speaks it from its reference"],
      votes && [`${votes.won} of ${count}`, "How often it won where it was heard blind"],
      me.owner && !consent && ["no consent", "Edit it to note who agreed that this voice is used"],
    ].filter(Boolean);
    return h("p.facts", {}, ...facts.map(([words, title]) => h("span.fact", { title }, words)));
  }

  /** @param {object[]} jobs  work on this champion; of what is packaged, the archive stands where Package was */
  drawWork(jobs) {
    const packed = jobs.find(isArchive) ?? null;
    this.work.show(jobs.filter((job) => job !== packed));
    this.busy = jobs.some((job) => job.kind === "package" && job.state === "running");
    this.pack.setAttribute("aria-disabled", String(this.busy)); // and not disabled, which would take the focus from it
    if (this.packed.dataset.job === String(packed?.id)) return;
    const focused = this.pack === document.activeElement || this.packed.contains(document.activeElement);
    this.packed.dataset.job = String(packed?.id);
    this.packed.replaceChildren(...(packed ? [download(packed.result)] : []));
    this.packed.hidden = !packed;
    this.pack.hidden = Boolean(packed);
    if (focused) (this.packed.firstChild ?? this.pack).focus();
  }

  drawLine() {
    const heard = hearingOf(this.champion);
    const { performance } = state;
    this.standing.textContent = heard === "making" ? percent(performance.progress) : "";
    if (this.heard === heard) return;
    this.heard = heard;
    this.line.classList.toggle("sounds", heard !== "silent");
    this.sign.replaceChildren(icon(HEARD[heard].sign));
    this.line.setAttribute("aria-label", `${HEARD[heard].does}: ${lineOf(this.champion)}`);
  }
}

/** Puts one element where another stood. */
function replaced(before, element) {
  before.replaceWith(element);
  return element;
}
