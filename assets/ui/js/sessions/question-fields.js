/** The questions after the trials in the editor. */
import { field } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { areaField, textField } from "./bound-fields.js";
import { LINE_MAX } from "./plan.js";
import { redraw } from "./redraw.js";

const QUESTIONS_MAX = 20;

export class QuestionsPart {
  /** @param {SessionDraft} draft @param {() => void} changed */
  constructor(draft, changed) {
    this.draft = draft;
    this.changed = changed;
    this.list = h("div.arm-list");
    const hint = h("p.hint", {}, "Listeners answer these questions at the end, for example about their headphones.");
    this.element = h("fieldset", {}, h("legend", {}, "Questions after the trials (optional)"), hint, this.list);
    this.#draw();
  }

  #draw() {
    const { questions } = this.draft;
    const full = questions.length >= QUESTIONS_MAX;
    const add = h("button.quiet", { type: "button", disabled: full, onclick: () => this.#add() }, "Add question");
    redraw(this.list, [...questions.map((_, at) => this.#question(at)), add]);
  }

  #add() {
    this.draft.questions = [...this.draft.questions, { text: "", choices: "" }];
    this.#draw();
    this.changed();
    /** @type {HTMLElement | null} */
    const text = this.list.querySelector("fieldset:last-of-type input");
    text?.focus();
  }

  /** @param {number} at */
  #question(at) {
    const question = this.draft.questions[at];
    const words = `Question ${at + 1}`;
    const onclick = () => {
      this.draft.questions = this.draft.questions.toSpliced(at, 1);
      this.#draw();
      this.changed();
    };
    return h(
      "fieldset.arm",
      {},
      h("legend", {}, words),
      field("Text", textField(question, "text", { maxlength: LINE_MAX })),
      field(
        "Choices (optional)",
        areaField(question, "choices", { rows: 2 }),
        "One choice per row. Empty for a free answer.",
      ),
      h(
        "div.arm-acts",
        {},
        h("button.quiet.small", { type: "button", "aria-label": `Remove ${words}`, onclick }, "Remove"),
      ),
    );
  }
}
