/** Keeping a take as a champion, and editing one: the form, its saving, and what happens when somebody was faster. */
import { openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { draftNote, dropDraft, loadDraft, saveDraft } from "../core/drafts.js";
import { attempt, ownerOnly } from "../core/login.js";
import { page } from "../core/pages.js";
import { get, Refusal, reason, refusedWith } from "../core/server.js";
import { toast } from "../core/toast.js";
import { conflict } from "./conflict.js";
import { ChampionForm } from "./form.js";
import { duplicate, edit, keep, pathOf, setPortrait } from "./library.js";
import { Reference } from "./reference.js";

/**
 * @typedef {object} How
 * @property {string} title
 * @property {boolean} isNew
 * @property {(facts: ChampionFacts, over?: string) => Champion | Promise<Champion>} save  over the version in its way
 * @property {(facts: ChampionFacts) => Promise<Champion>} saveAs  another champion
 */

const FORM = "champion-form";

/** Keep the voice of a take. Everything the studio knows is filled in. @param {string} take */
export async function openKeeper(take) {
  if (!(await ownerOnly())) return undefined;
  return attempt(async () => {
    const champion = await get(`/studio/drafts/${take}`);
    new Editor(`take ${take}`, champion, {
      title: "Keep as champion",
      isNew: true,
      save: (facts, over) => keep(take, facts, over),
      saveAs: (facts) => keep(take, facts),
    }).open();
  });
}

/**
 * Edit a champion as it stands now, with all that its owner is told: the page may still show what visitors see.
 * @param {Champion} champion
 */
export function openEditor({ id }) {
  return attempt(async () => {
    /** @type {Champion} */
    const champion = await get(pathOf(id));
    new Editor(`${id} ${champion.version}`, champion, {
      title: `Edit ${champion.title}`,
      isNew: false,
      save: (facts, over) => (over || isOther(facts, champion) ? edit(facts, over || champion.version) : champion),
      saveAs: async (facts) => edit(facts, (await duplicate(id, facts.id)).version),
    }).open();
  });
}

/**
 * Whether anything was changed that is written; a portrait is saved by itself.
 * @param {ChampionFacts} facts @param {Champion} champion
 */
function isOther(facts, champion) {
  const plain = (/** @type {unknown} */ value) =>
    JSON.stringify(value && typeof value === "object" ? Object.entries(value).sort() : value);
  const names = /** @type {(keyof ChampionFacts)[]} */ (Object.keys(facts));
  return names.some((name) => plain(facts[name]) !== plain(champion[name]));
}

class Editor {
  /**
   * @param {string} about  under which what is typed is kept until it is saved
   * @param {Champion} champion
   * @param {How} how
   */
  constructor(about, champion, how) {
    this.about = about;
    this.champion = champion;
    this.how = how;
    this.place = h("div");
    const changed = (/** @type {ChampionFacts} */ facts) => saveDraft(about, facts);
    this.form = new ChampionForm(FORM, champion, { isNew: how.isNew, changed });
    this.button = h("button.primary", { form: FORM }, how.isNew ? "Save champion" : "Save changes");
  }

  open() {
    this.form.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.save((facts) => this.how.save(facts));
    });
    const sound = this.champion.version && new Reference(this.champion).element;
    this.dialog = openDialog({
      title: this.how.title,
      look: "wide",
      body: [this.place, this.#recovered(), sound, this.form.element],
      actions: [this.button],
    });
    this.form.begin();
  }

  /** What was typed before and never saved is back, and can be given up. */
  #recovered() {
    /** @type {ChampionFacts | null} */
    const typed = loadDraft(this.about);
    if (!typed) return null;
    this.form.fill({ ...this.champion, ...typed });
    return draftNote(() => {
      dropDraft(this.about);
      this.form.fill(this.champion);
      this.form.begin();
    });
  }

  /**
   * @param {(facts: ChampionFacts) => Champion | Promise<Champion>} work  what saves them
   * @param {string} other  the id they are to be saved under, where it is not their own
   */
  async save(work, other = "") {
    this.button.disabled = true;
    this.dialog?.showError("");
    try {
      await this.#saved(await work(this.form.facts));
    } catch (error) {
      if (refusedWith(error, 409) && other)
        this.dialog?.showError(`Champion id ${other} is already used. Choose another id.`);
      else if (error instanceof Refusal && error.status === 409 && error.body.current) this.#contest(error);
      else this.dialog?.showError(reason(error));
    }
    this.button.disabled = false;
  }

  /** @param {Champion} champion */
  async #saved(champion) {
    dropDraft(this.about);
    this.dialog?.close();
    const { picture } = this.form;
    try {
      if (picture !== undefined && (picture || champion.portrait)) await setPortrait(champion, picture);
    } catch (error) {
      toast(`Champion saved without the portrait. ${reason(error)}`, { failed: true });
      return;
    }
    const onaction = () => {
      location.hash = "#champions";
    };
    toast("Champion saved.", { ...(page() !== "champions" && { action: "Show", onaction }) });
  }

  /** Somebody was faster: theirs beside one's own, and both ways on. @param {Refusal} refusal */
  #contest({ message, body: { current } }) {
    const view = conflict(message, this.form.facts, current, {
      over: () => this.save((facts) => this.how.save(facts, current.version)),
      as: (id) => this.save((facts) => this.how.saveAs({ ...facts, id }), id),
    });
    this.place.replaceChildren(view);
    view.scrollIntoView({ block: "nearest" });
    view.querySelector("button")?.focus();
  }
}
