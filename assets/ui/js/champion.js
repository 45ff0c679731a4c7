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

export class ChampionCard {
  /**
   * @param champion  as the server tells it
   * @param acts  what can be done with it: speak, edit, package, and `more`, by the words of the menu
   * @param more  see WorkLine
   */
  constructor(champion, acts, more) {
    this.about = "";
    this.acts = acts;
    this.element = h("li.champion", { tabindex: "-1", "data-id": champion.id });
    this.work = new WorkList(h("ul.works", { "aria-label": `Work on ${champion.title}` }), more);
  }

  /** @param champion  as the server tells it now @param {string} seen  whatever else the card depends on */
  update(champion, seen) {
    const about = JSON.stringify([champion, seen]);
    if (about === this.about) return;
    this.about = about;
    this.champion = champion;
    const { title } = champion;
    this.reference = new Reference(champion);
    this.sign = h("span.sign");
    this.said = h("span.said", {}, lineOf(champion));
    this.standing = h("span.readout");
    this.line = h(
      "button.line",
      { type: "button", onclick: () => hearLine(champion) },
      this.sign,
      this.said,
      this.standing,
    );
    this.foot = h("div.champion-foot");
    this.element.setAttribute("aria-label", title);
    this.element.replaceChildren(this.#head(), this.reference.element, this.line, this.foot, this.work.element);
    this.drawFoot(null);
    this.drawLine();
  }

  #head() {
    const { id, title, engine, votes, fine_tuned, consent } = this.champion;
    const facts = [
      [engineOf(engine)?.title ?? engine.toUpperCase(), "The engine it is preferred with"],
      fine_tuned && ["own weights", "Fine-tuned for F5-TTS; S1-Mini speaks it from its reference"],
      votes && [
        `${votes.won} of ${plural(votes.won + votes.tied + votes.lost, "vote")}`,
        "How often it won where it was heard blind",
      ],
      me.owner && !consent && ["no consent", "Edit it to note who agreed that this voice is used"],
    ].filter(Boolean);
    const more = menu(iconButton("dots", `More for ${title}`), () =>
      Object.entries(this.acts.more).map(([words, act]) => entry(words, () => act(this.champion))),
    );
    more.dataset.owners = "";
    return h(
      "div.champion-head",
      {},
      face(this.champion),
      h(
        "div.champion-words",
        {},
        h("h3", { title }, title),
        h("p.champion-id", { title: "Its id, and its archive’s name" }, id),
        h("p.facts", {}, ...facts.map(([words, why]) => h("span.fact", why ? { title: why } : {}, words))),
      ),
      more,
    );
  }

  /** @param {object[]} jobs  work on this champion */
  drawWork(jobs) {
    const done = jobs.find(isArchive);
    this.work.show(jobs.filter((job) => job.kind !== "plan" && job !== done));
    this.drawFoot(
      done ?? null,
      jobs.some((job) => job.kind === "package" && job.state === "running"),
    );
  }

  /** What is packaged can be downloaded. */
  drawFoot(packed, busy = false) {
    const drawn = `${packed?.id} ${busy}`;
    if (this.drawn === drawn && this.foot.firstChild) return;
    this.drawn = drawn;
    const focused = this.foot.contains(document.activeElement);
    const press = (words, act, off = false) =>
      h("button.quiet.small", { type: "button", disabled: off, onclick: () => act(this.champion) }, words);
    const speak = press("Speak with it", this.acts.speak);
    const edit = press("Edit", this.acts.edit);
    const archive = packed ? download(packed.result) : press("Package", this.acts.package, busy);
    for (const one of [edit, archive]) one.dataset.owners = "";
    this.foot.replaceChildren(speak, edit, archive);
    if (focused) archive.focus();
  }

  drawLine() {
    const heard = hearingOf(this.champion);
    const { performance } = state;
    this.standing.textContent = heard === "making" ? percent(performance.progress) : "";
    if (this.heard === heard && this.sign.firstChild) return;
    this.heard = heard;
    this.line.classList.toggle("sounds", heard !== "silent");
    this.sign.replaceChildren(icon(HEARD[heard].sign));
    this.line.setAttribute("aria-label", `${HEARD[heard].does}: ${lineOf(this.champion)}`);
  }
}
