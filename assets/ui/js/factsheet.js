/** The form of everything a person writes about a champion. */
import { chooseFile } from "./choosing.js";
import { h, icon } from "./dom.js";
import * as fields from "./fields.js";
import { proposedId } from "./library.js";
import { colourOf, face } from "./mark.js";
import { field } from "./sheet.js";
import { state } from "./state.js";
import { toast } from "./toast.js";
import { between } from "./words.js";

const ID = "[a-z0-9][a-z0-9_\\-]{0,63}";
const ID_WORDS = "1 to 64 small letters, digits, - and _, beginning with a letter or digit";
const PICTURES = "image/png,image/jpeg,image/webp";
const SETTINGS = ["seed", ...fields.SETTINGS];
const WHY =
  "Keep a voice only if its owner agreed. This goes with the archive, so that whoever gets it knows who said so.";

export class Factsheet {
  /**
   * @param {string} form  id of the form
   * @param champion  what stands in the fields at first
   * @param {{isNew: boolean, changed: (facts: object) => void}} how
   */
  constructor(form, champion, { isNew, changed }) {
    this.champion = champion;
    this.isNew = isNew;
    this.picture = undefined; // a file; null: none any more; undefined: as it is
    this.#make();
    this.fill(champion);
    this.element = h(
      "form.factsheet",
      { id: form, autocomplete: "off" },
      this.#who(),
      field("What is said in the reference", this.transcript, "Exactly these words, as you hear them."),
      this.#consent(),
      this.#how(),
      field("Notes", this.notes),
    );
    this.element.addEventListener("input", (event) => this.#typed(event, changed));
  }

  #make() {
    const text = (attributes) => h("input", { type: "text", spellcheck: "false", ...attributes });
    const area = (attributes) => h("textarea", attributes);
    this.name = text({ maxlength: "80", name: "name" });
    this.id = text({
      required: true,
      pattern: ID,
      title: ID_WORDS,
      name: "id",
      autocapitalize: "none",
      disabled: !this.isNew,
    });
    this.transcript = area({ rows: "3", required: true, name: "transcript" });
    this.line = area({ rows: "2", name: "line" });
    this.notes = area({ rows: "3", maxlength: "4000", name: "notes" });
    this.by = text({ name: "by", placeholder: "Name of who owns the voice" });
    this.when = h("input", { type: "date", name: "when" });
    this.statement = area({ rows: "2", maxlength: "1000", name: "statement", placeholder: "I agree that …" });
    this.colour = h("input", { type: "color", name: "colour" });
    this.engine = h(
      "select",
      { name: "engine", onchange: () => this.#drawSettings() },
      ...engines(this.champion).map(option),
    );
    this.settings = Object.fromEntries(SETTINGS.map((name) => [name, number(name)]));
  }

  #who() {
    this.face = h("div.factsheet-face");
    const quiet = (words, onclick) => h("button.quiet.small", { type: "button", onclick }, words);
    this.noPicture = quiet("Remove portrait", () => this.#draw(null));
    this.ownColour = quiet("Colour of its id", () => this.#colour(""));
    const note = this.isNew
      ? `Its archive will be ${"\u2026"}.tar.gz`
      : "An id stays; duplicate the champion to have another.";
    this.note = h("p.hint", {}, note);
    return h(
      "div.factsheet-who",
      {},
      h(
        "div.factsheet-look",
        {},
        this.face,
        quiet([icon("upload"), "Portrait"], () => chooseFile(PICTURES, (picture) => this.#draw(picture))),
        this.noPicture,
        h("label.quiet.small.swatch-field", {}, this.colour, "Colour"),
        this.ownColour,
      ),
      h(
        "div.factsheet-names",
        {},
        field("Name", this.name),
        field("Id", this.id, this.note),
        field("A line to hear it say", this.line),
      ),
    );
  }

  #consent() {
    return h(
      "fieldset",
      {},
      h("legend", {}, "Consent"),
      h("p.hint", {}, WHY),
      h("div.factsheet-pair", {}, field("Who agrees", this.by), field("When", this.when)),
      field("In their words", this.statement),
    );
  }

  #how() {
    this.licence = h("p.hint");
    const inputs = SETTINGS.map((name) => field(name.replaceAll("_", " "), this.settings[name]));
    return h(
      "fieldset",
      {},
      h("legend", {}, "How it speaks"),
      h("div.factsheet-settings", {}, field("Engine", this.engine), ...inputs),
      this.licence,
    );
  }

  /** Put facts into the fields. */
  fill(champion) {
    for (const name of ["name", "id", "transcript", "line", "notes"]) this[name].value = champion[name] ?? "";
    this.by.value = champion.consent?.by ?? "";
    this.when.value = champion.consent?.at ?? (this.isNew ? today() : "");
    this.statement.value = champion.consent?.statement ?? "";
    this.engine.value = champion.engine;
    for (const name of SETTINGS) this.settings[name].value = champion.settings[name] ?? "";
    this.proposes = [this.champion.id, proposedId(champion.name ?? "")].includes(champion.id); // until the id is typed
    this.chosen = champion.colour ?? "";
  }

  /** What the fields hold, as the studio takes it. */
  get facts() {
    const heeded = SETTINGS.filter((name) => this.heeds(name) && this.settings[name].value !== "");
    const said = { by: this.by.value.trim(), at: this.when.value, statement: this.statement.value.trim() };
    return {
      ...Object.fromEntries(["name", "id"].map((name) => [name, this[name].value.trim()])),
      ...Object.fromEntries(["transcript", "line", "notes"].map((name) => [name, this.#words(name)])),
      consent: said.by || said.statement ? said : null,
      engine: this.engine.value,
      settings: Object.fromEntries(heeded.map((name) => [name, Number(this.settings[name].value)])),
      colour: this.chosen,
    };
  }

  /** To the byte as they were where nobody changed them: a text area shows every line end as a line feed. */
  #words(name) {
    const before = this.champion[name] ?? "";
    return this[name].value === before.replace(/\r\n?/g, "\n") ? before : this[name].value;
  }

  heeds(name) {
    return name === "seed" || !this.chosenEngine?.settings || name in this.chosenEngine.settings;
  }

  get chosenEngine() {
    return engines(this.champion).find((one) => one.name === this.engine.value);
  }

  /** Once it is on the page. */
  begin() {
    this.#drawSettings();
    this.#drawFace();
    this.name.focus();
    this.name.select();
  }

  #typed({ target }, changed) {
    if (target === this.id) this.proposes = false;
    if (target === this.name && this.isNew && this.proposes) this.id.value = proposedId(this.name.value);
    if (target === this.colour) this.#colour(this.colour.value);
    if ([this.name, this.id].includes(target)) this.#drawFace();
    changed(this.facts);
  }

  #colour(chosen) {
    this.chosen = chosen;
    this.#drawFace();
    this.element.dispatchEvent(new Event("input"));
  }

  async #draw(picture) {
    try {
      if (picture) (await createImageBitmap(picture)).close();
    } catch {
      toast(`${picture.name} is no picture that can be shown; choose a PNG, JPEG or WebP.`, { failed: true });
      return;
    }
    this.picture = picture;
    this.#drawFace();
  }

  #drawFace() {
    const id = this.id.value;
    const url = this.picture
      ? URL.createObjectURL(this.picture)
      : this.picture === null
        ? null
        : this.champion.portrait;
    this.face.replaceChildren(face({ id, colour: this.chosen, portrait: url }));
    this.colour.value = this.chosen || colourOf(id);
    this.ownColour.hidden = !this.chosen;
    this.noPicture.hidden = !url;
    if (this.isNew) this.note.textContent = `Its archive is ${id || "\u2026"}.tar.gz`;
  }

  #drawSettings() {
    const engine = this.chosenEngine;
    for (const [name, input] of Object.entries(this.settings)) {
      input.closest(".sheet-field").hidden = !this.heeds(name);
      const limits = this.heeds(name) && engine?.settings?.[name];
      input.min = limits ? limits.least : "";
      input.max = limits ? limits.most : "";
      input.title = limits ? between(limits) : "";
    }
    this.licence.textContent = engine?.licence
      ? `Weights: ${engine.licence}. What is left empty is left to the engine.`
      : "";
  }
}

/** Those of this studio, and the one it was kept with. */
function engines({ engine }) {
  const known = state.telemetry?.engines ?? [];
  return known.some((one) => one.name === engine) ? known : [...known, { name: engine, title: engine.toUpperCase() }];
}

function option({ name, title }) {
  return h("option", { value: name }, title);
}

function number(name) {
  return h("input", { type: "number", step: "any", name, placeholder: name === "seed" ? "random" : "default" });
}

/** In the reader's own time zone. */
function today() {
  const now = new Date();
  return new Date(now - 60_000 * now.getTimezoneOffset()).toISOString().slice(0, 10);
}
