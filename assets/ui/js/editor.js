/** Keeping a take as a champion, and editing one: the form, its saving, and what happens when somebody was faster. */
import { conflict } from "./conflict.js";
import { h } from "./dom.js";
import { Factsheet } from "./factsheet.js";
import { at, draw, duplicate, edit, keep } from "./library.js";
import { attempt, ownerOnly } from "./login.js";
import { page } from "./pages.js";
import { Reference } from "./reference.js";
import { get } from "./server.js";
import { openSheet } from "./sheet.js";
import { toast } from "./toast.js";
import { forget, remember, unsaved } from "./unsaved.js";
import { titled } from "./words.js";

const FORM = "champion-form";

/** Keep the voice of a take. Everything the studio knows is filled in. */
export async function openKeeper(take) {
  if (!(await ownerOnly())) return undefined;
  return attempt(async () => {
    const champion = await get(`/studio/drafts/${take}`);
    const editor = new Editor(`take ${take}`, champion, {
      title: "Keep as champion",
      verb: "Keep",
      isNew: true,
      save: (facts, over) => keep(take, facts, over),
      saveAs: (facts) => keep(take, facts),
    });
    editor.open();
  });
}

/** Edit a champion as it stands now, with all that its owner is told: the page may still show what visitors see. */
export function openEditor({ id }) {
  return attempt(async () => edited(await get(at(id))).open());
}

function edited(champion) {
  const saveAs = async (facts) => {
    const copy = await duplicate(champion.id, facts.id);
    return edit(facts, copy.version);
  };
  return new Editor(`${champion.id} ${champion.version}`, champion, {
    title: `Edit ${champion.title}`,
    verb: "Save",
    isNew: false,
    save: (facts, over) => (over || isOther(facts, champion) ? edit(facts, over || champion.version) : champion),
    saveAs,
  });
}

/** Whether anything was changed that is written; a portrait is saved by itself. */
function isOther(facts, champion) {
  const told = (value) => JSON.stringify(value && typeof value === "object" ? Object.entries(value).sort() : value);
  return Object.keys(facts).some((name) => told(facts[name]) !== told(champion[name]));
}

class Editor {
  /** @param about  under which what is typed is kept until it is saved */
  constructor(about, champion, how) {
    Object.assign(this, { about, champion, how });
    this.place = h("div");
  }

  open() {
    const { title, verb, isNew } = this.how;
    this.form = new Factsheet(FORM, this.champion, { isNew, changed: (facts) => remember(this.about, facts) });
    this.form.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.save((facts) => this.how.save(facts));
    });
    this.button = h("button.primary", { form: FORM }, verb);
    const sound = this.champion.version && new Reference(this.champion).element;
    this.sheet = openSheet({
      title,
      look: "wide",
      body: [this.place, this.#again(), sound, this.form.element].filter(Boolean),
      actions: [this.button],
    });
    this.form.begin();
  }

  /** What was typed before and never saved is back, and can be given up. */
  #again() {
    const typed = unsaved(this.about);
    if (!typed) return null;
    this.form.fill({ ...this.champion, ...typed });
    const startOver = () => {
      forget(this.about);
      this.form.fill(this.champion);
      this.form.begin();
      note.remove();
    };
    const note = h(
      "p.notice",
      {},
      "What you typed last time is back. ",
      h("button.link", { type: "button", onclick: startOver }, "Start over"),
    );
    return note;
  }

  /** @param work  what saves the facts @param other  the id they are to be saved under, where it is not their own */
  async save(work, other = "") {
    this.button.disabled = true;
    this.sheet.say("");
    try {
      await this.#saved(await work(this.form.facts));
    } catch (error) {
      if (error.status === 409 && other) this.sheet.say(`There is a champion ${other} already; choose another id.`);
      else if (error.status === 409 && error.said.current) this.#contest(error);
      else this.sheet.say(error.message);
    }
    this.button.disabled = false;
  }

  async #saved(champion) {
    forget(this.about);
    this.sheet.close();
    const { picture } = this.form;
    const title = titled(champion.title);
    try {
      if (picture !== undefined && (picture || champion.portrait)) await draw(champion, picture);
    } catch (error) {
      toast(`${title} is ${this.how.isNew ? "kept" : "saved"}, but not its portrait. ${error.message}`, { failed: true });
      return;
    }
    const show = page() !== "champions" && {
      action: "Show",
      onaction: () => (location.hash = "#champions"),
    };
    toast(`${title} is ${this.how.isNew ? "kept" : "saved"}.`, { ...show });
  }

  /** Somebody was faster: theirs beside one's own, and both ways on. */
  #contest({ message, said: { current } }) {
    const view = conflict(message, this.form.facts, current, {
      over: () => this.save((facts) => this.how.save(facts, current.version)),
      as: (id) => this.save((facts) => this.how.saveAs({ ...facts, id }), id),
    });
    this.place.replaceChildren(view);
    view.scrollIntoView({ block: "nearest" });
    view.querySelector("button").focus();
  }
}
