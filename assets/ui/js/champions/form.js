/** The form for all facts of a champion. */
import { field } from "../core/dialog.js";
import { h, icon } from "../core/dom.js";
import * as fields from "../core/fields.js";
import { chooseFile } from "../core/file-picker.js";
import { between } from "../core/format.js";
import { state } from "../core/state.js";
import { toast } from "../core/toast.js";
import { ConsentFields } from "./consent.js";
import { proposedId } from "./library.js";
import { colourOf } from "./mark.js";
import { face } from "./portrait.js";

/**
 * @typedef {Pick<EngineStatus, "name" | "title"> & Partial<EngineStatus>} Engine  only name and title are known for an
 *   engine that this studio lacks
 */

const ID = "[a-z0-9][a-z0-9_\\-]{0,63}";
const ID_WORDS = "1 to 64 characters: lower-case letters, digits, - and _. Start with a letter or digit.";
const LANGUAGE_WORDS =
  "A name or a tag, such as German or pt-BR. The studio uses it if the language of a line is not clear.";
const PICTURES = "image/png,image/jpeg,image/webp";
const TEXTS = /** @type {const} */ (["transcript", "line", "notes"]);

export class ChampionForm {
  /** @type {File | null | undefined} */
  picture = undefined; // null: remove the portrait; undefined: keep it
  chosenColour = ""; // empty: the default colour of the id
  proposes = false; // true: the id follows the name, until the user types an id

  /**
   * @param {string} id  id of the form element
   * @param {Champion} champion  initial values
   * @param {{isNew: boolean, changed: (facts: ChampionFacts) => void}} how
   */
  constructor(id, champion, { isNew, changed }) {
    this.champion = champion;
    this.isNew = isNew;
    this.inputs = inputs(isNew);
    this.engine = h(
      "select",
      { name: "engine", onchange: () => this.#drawSettings() },
      ...engines(champion).map(option),
    );
    this.settings = fields.NUMBERS.map((name) => ({ name, input: number(name) }));
    this.face = h("div.factsheet-face");
    this.noPicture = quietButton("Remove portrait", () => this.#setPicture(null));
    this.ownColour = quietButton("Default colour", () => this.#setColour(""));
    this.note = h("p.hint", {}, "The id cannot be changed. To get another id, duplicate the champion.");
    this.licence = h("p.hint");
    this.consent = new ConsentFields();
    this.element = h("form.factsheet", { id, autocomplete: "off" }, ...this.#parts());
    this.fill(champion);
    this.element.addEventListener("input", (event) => this.#typed(event.target, changed));
  }

  #parts() {
    const { transcript, notes } = this.inputs;
    return [
      h("div.factsheet-who", {}, this.#look(), this.#names()),
      field("Transcript of the reference", transcript, "Type exactly the words that you hear."),
      field("Language", this.inputs.language),
      this.consent.element,
      this.#speech(),
      field("Notes", notes),
    ];
  }

  #look() {
    const choose = () => chooseFile(PICTURES, (picture) => this.#setPicture(picture));
    return h(
      "div.factsheet-look",
      {},
      this.face,
      quietButton([icon("upload"), "Choose portrait"], choose),
      this.noPicture,
      h("label.quiet.small.swatch-field", {}, this.inputs.colour, "Colour"),
      this.ownColour,
    );
  }

  #names() {
    const { name, id, line } = this.inputs;
    return h("div.factsheet-names", {}, field("Name", name), field("Id", id, this.note), field("Preview line", line));
  }

  #speech() {
    const settings = this.settings.map(({ name, input }) => field(fields.labelOf(name), input));
    return h(
      "fieldset",
      {},
      h("legend", {}, "Engine and settings"),
      h("div.factsheet-settings", {}, field("Engine", this.engine), ...settings),
      h("p.hint", {}, "Empty settings use the engine’s defaults."),
      this.licence,
    );
  }

  /** @param {ChampionFacts} facts */
  fill(facts) {
    const { name, id } = this.inputs;
    name.value = facts.name ?? "";
    id.value = facts.id ?? "";
    for (const text of TEXTS) this.inputs[text].value = facts[text] ?? "";
    this.consent.fill(facts.consent);
    this.engine.value = facts.engine;
    for (const { name, input } of this.settings) input.value = String(facts.settings[name] ?? "");
    this.proposes = [this.champion.id, proposedId(facts.name ?? "")].includes(facts.id);
    this.chosenColour = facts.colour ?? "";
    this.inputs.language.value = facts.language ?? "";
  }

  /** Return the values of the fields in the form that the studio expects. @returns {ChampionFacts} */
  get facts() {
    const { name, id } = this.inputs;
    const used = this.settings.filter(({ name, input }) => this.#usesSetting(name) && input.value !== "");
    return {
      name: name.value.trim(),
      id: id.value.trim(),
      transcript: this.#text("transcript"),
      line: this.#text("line"),
      notes: this.#text("notes"),
      consent: this.consent.consent,
      engine: this.engine.value,
      settings: Object.fromEntries(used.map(({ name, input }) => [name, Number(input.value)])),
      colour: this.chosenColour,
      language: this.inputs.language.value.trim(),
    };
  }

  /**
   * Return the text. An unchanged text keeps its original line ends, which a text area replaces by line feeds.
   * @param {typeof TEXTS[number]} name
   */
  #text(name) {
    const before = this.champion[name] ?? "";
    const { value } = this.inputs[name];
    return value === before.replace(/\r\n?/g, "\n") ? before : value;
  }

  /** @param {string} name */
  #usesSetting(name) {
    const settings = this.#chosenEngine?.settings;
    return name === "seed" || !settings || name in settings;
  }

  get #chosenEngine() {
    return engines(this.champion).find((one) => one.name === this.engine.value);
  }

  /** Call this once the form is on the page. */
  begin() {
    this.#drawSettings();
    this.#drawFace();
    this.inputs.name.focus();
    this.inputs.name.select();
  }

  /** @param {EventTarget | null} target @param {(facts: ChampionFacts) => void} changed */
  #typed(target, changed) {
    const { name, id, colour } = this.inputs;
    if (target === id) this.proposes = false;
    if (target === name && this.isNew && this.proposes) id.value = proposedId(name.value);
    if (target === colour) this.#setColour(colour.value);
    if (target === name || target === id) this.#drawFace();
    changed(this.facts);
  }

  /** @param {string} chosen */
  #setColour(chosen) {
    this.chosenColour = chosen;
    this.#drawFace();
    this.element.dispatchEvent(new Event("input"));
  }

  /** @param {File | null} picture */
  async #setPicture(picture) {
    try {
      if (picture) (await createImageBitmap(picture)).close();
    } catch {
      toast(`${picture?.name} cannot be shown as a picture. Choose a PNG, JPEG or WebP file.`, { failed: true });
      return;
    }
    this.picture = picture;
    this.#drawFace();
  }

  #drawFace() {
    const id = this.inputs.id.value;
    const kept = this.picture === null ? null : this.champion.portrait;
    const portrait = this.picture ? URL.createObjectURL(this.picture) : kept;
    this.face.replaceChildren(face({ id, colour: this.chosenColour, portrait }));
    this.inputs.colour.value = this.chosenColour || colourOf(id);
    this.ownColour.hidden = !this.chosenColour;
    this.noPicture.hidden = !portrait;
    if (this.isNew) this.note.textContent = `Name of the archive: ${id || "\u2026"}.tar.gz`;
  }

  #drawSettings() {
    const engine = this.#chosenEngine;
    for (const { name, input } of this.settings) {
      const holder = /** @type {HTMLElement} */ (input.closest(".sheet-field"));
      holder.hidden = !this.#usesSetting(name);
      const limits = name === "seed" ? undefined : engine?.settings?.[name];
      input.min = String(limits?.least ?? "");
      input.max = String(limits?.most ?? "");
      input.title = limits ? between(limits) : "";
    }
    this.licence.textContent = engine?.licence ? `Licence of the weights: ${engine.licence}.` : "";
  }
}

/** @param {boolean} isNew */
function inputs(isNew) {
  const text = (/** @type {Attributes} */ attributes) =>
    h("input", { type: "text", spellcheck: "false", ...attributes });
  const area = (/** @type {Attributes} */ attributes) => h("textarea", attributes);
  const id = { required: true, pattern: ID, title: ID_WORDS, autocapitalize: "none", disabled: !isNew };
  return {
    name: text({ maxlength: "80", name: "name" }),
    id: text({ name: "id", ...id }),
    transcript: area({ rows: "3", required: true, name: "transcript" }),
    line: area({ rows: "2", name: "line" }),
    notes: area({ rows: "3", maxlength: "4000", name: "notes" }),
    colour: h("input", { type: "color", name: "colour" }),
    language: text({ name: "language", maxlength: "64", placeholder: "detect", title: LANGUAGE_WORDS }),
  };
}

/** @param {Child | Child[]} words @param {() => unknown} onclick */
function quietButton(words, onclick) {
  return h("button.quiet.small", { type: "button", onclick }, words);
}

/**
 * Return the engines of this studio, and the champion's engine if this studio lacks it.
 * @param {Champion} champion @returns {Engine[]}
 */
function engines({ engine }) {
  const known = state.telemetry?.engines ?? [];
  return known.some((one) => one.name === engine) ? known : [...known, { name: engine, title: engine.toUpperCase() }];
}

/** @param {Engine} engine */
function option({ name, title }) {
  return h("option", { value: name }, title);
}

/** @param {string} name */
function number(name) {
  return h("input", { type: "number", step: "any", name, placeholder: name === "seed" ? "random" : "default" });
}
