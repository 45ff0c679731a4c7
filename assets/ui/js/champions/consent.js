/** The consent fields: who agreed to the use of the voice, when, and the statement. */
import { field } from "../core/dialog.js";
import { h } from "../core/dom.js";

const WHY = "Save a voice only with its owner’s consent. The consent is saved in the archive of the champion.";
const NO_DATE = "Enter the date. If you do not know the date, leave the field empty.";
const NO_CONSENT = "If voice owner and consent text are both empty, no consent is recorded.";

export class ConsentFields {
  constructor() {
    this.by = h("input", {
      ...{ type: "text", spellcheck: "false", name: "by", placeholder: "Name of the voice owner" },
    });
    this.when = h("input", { type: "date", name: "when" });
    this.statement = h("textarea", {
      ...{ rows: "2", maxlength: "1000", name: "statement", placeholder: "I agree that …" },
    });
    this.note = h("p.hint", { role: "status" });
    this.element = h(
      "fieldset",
      { oninput: () => this.draw() },
      h("legend", {}, "Consent"),
      h("p.hint", {}, WHY),
      h("div.factsheet-pair", {}, field("Voice owner", this.by), field("Date of consent", this.when, this.note)),
      field("Consent text", this.statement),
    );
  }

  /** @param {Consent | null} consent */
  fill(consent) {
    this.by.value = consent?.by ?? "";
    this.when.value = consent?.at ?? "";
    this.statement.value = consent?.statement ?? "";
    this.draw();
  }

  /** Null if both the owner and the statement are empty. @returns {Consent | null} */
  get consent() {
    const consent = { by: this.by.value.trim(), at: this.when.value, statement: this.statement.value.trim() };
    return consent.by || consent.statement ? consent : null;
  }

  /** Show the note: ask for the missing date, or say that no consent is recorded. */
  draw() {
    const given = this.consent;
    const words = given ? (given.at ? "" : NO_DATE) : NO_CONSENT;
    if (this.note.textContent !== words) this.note.textContent = words;
  }
}
