/** Dialogs to save a take as a champion and to edit a champion: form, saving, and edit conflicts. */
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
 * @property {(facts: ChampionFacts, over?: string) => Champion | Promise<Champion>} save  `over`: the version to
 *   replace
 * @property {(facts: ChampionFacts) => Promise<Champion>} saveAs  save as another champion
 */

const FORM = "champion-form";

/** Open the form to save the voice of a take. Known facts are filled in. @param {string} take */
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
 * Open the form to edit a champion. It is loaded again, because the page may still show the visitors' version.
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
 * Return true if a field was changed. The portrait is not a field; it is saved separately.
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
   * @param {string} about  key of the draft; the draft is kept until the champion is saved
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

  /** Fill in the saved draft, if any, and return a note with a button that discards it. */
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
   * @param {(facts: ChampionFacts) => Champion | Promise<Champion>} work  saves the facts
   * @param {string} other  the new id, if the facts are saved under another one
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

  /** Show an edit conflict: both versions, and the two ways to save. @param {Refusal} refusal */
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
