/** The form for the plan of a listening session. */
import { field } from "../core/dialog.js";
import { announce, h } from "../core/dom.js";
import { plural, sentence } from "../core/format.js";
import { ArmsPart } from "./arm-fields.js";
import { areaField, checkField, countField, textField } from "./bound-fields.js";
import { METHOD_NAMES, METHODS, prefers } from "./methods.js";
import { chooseMethod, LINE_MAX, linesFault, linesOf, partOf } from "./plan.js";
import { QuestionsPart } from "./question-fields.js";
import { SAMPLE_LINES } from "./sample-lines.js";

/** @import { Part } from "./plan.js" */

const NAME_MAX = 80;
const CATCHES = "Some trials have an obvious answer. Listeners who fail them are excluded.";
const ARENA = "New listeners get more trials of the pairs whose winner is uncertain. Useful for three arms or more.";

export class SessionForm {
  /** @param {string} id  id of the form element @param {SessionDraft} draft @param {() => void} changed */
  constructor(id, draft, changed) {
    this.draft = draft;
    this.changed = changed;
    this.question = textField(draft, "question", { required: true, maxlength: LINE_MAX });
    this.lines = areaField(draft, "lines", { rows: 6, required: true });
    this.count = h("p.hint", { role: "status" });
    this.arena = checkField(draft, "arena", "Arena", ARENA);
    this.arena.hidden = !prefers(draft.method);
    this.arms = new ArmsPart(draft, () => this.#typed());
    this.trouble = h("p.part-trouble", { role: "alert" });
    /** @type {Partial<Record<Part, HTMLElement>>} */
    this.parts = { ...this.#texts(), method: this.#method(), arms: this.arms.element, lines: this.#lines() };
    this.parts.trials = this.#trials();
    this.parts.questions = new QuestionsPart(draft, () => this.#typed()).element;
    const { name, title, method, question, arms, lines, trials, questions } = this.parts;
    const every = /** @type {HTMLElement[]} */ ([name, title, method, question, arms, lines, trials, questions]);
    this.element = h("form.session-form", { id, autocomplete: "off" }, ...every);
    this.element.addEventListener("input", () => this.#typed());
    this.element.addEventListener("invalid", unfold, true);
    this.#drawCount();
  }

  #texts() {
    const { draft } = this;
    const name = textField(draft, "name", { required: true, maxlength: NAME_MAX });
    const title = textField(draft, "title", { maxlength: NAME_MAX, placeholder: "Listening session" });
    return {
      name: field("Name", name, "For you. Listeners never see it."),
      title: field("Title for listeners (optional)", title, "Do not name a voice or an engine here."),
      question: field("Question", this.question),
    };
  }

  #method() {
    const choices = METHOD_NAMES.map((name) => {
      const { name: words, about } = METHODS[name];
      const onchange = () => this.#chooseMethod(name);
      const checked = this.draft.method === name;
      const input = h("input", { type: "radio", name: "method", value: name, checked, onchange });
      return h("label.check.field", {}, input, h("span", {}, words, h("span.hint", {}, about)));
    });
    return h("fieldset.methods", {}, h("legend", {}, "Method"), ...choices);
  }

  /** @param {ListeningMethod} method */
  #chooseMethod(method) {
    chooseMethod(this.draft, method);
    this.question.value = this.draft.question;
    this.arms.draw();
    this.arena.hidden = !prefers(method);
    this.#typed();
  }

  #lines() {
    const insert = h("button.quiet.small", { type: "button", onclick: () => this.#insert() }, "Insert 40 lines");
    return h(
      "fieldset",
      {},
      h("legend", {}, "Lines"),
      field("One line per row", this.lines, this.count),
      h("div.arm-acts", {}, insert),
    );
  }

  #insert() {
    const before = this.lines.value.trimEnd();
    this.lines.value = `${before}${before && "\n"}${SAMPLE_LINES.join("\n")}`;
    this.lines.dispatchEvent(new Event("input", { bubbles: true }));
    announce(`${SAMPLE_LINES.length} lines inserted.`);
  }

  #trials() {
    const { draft } = this;
    return h(
      "fieldset",
      {},
      h("legend", {}, "Trials"),
      h(
        "div.trial-counts",
        {},
        field("Trials of each listener", countField(draft, "trials", 1, 100)),
        field("Practice trials", countField(draft, "practice", 0, 10), "Votes on practice trials do not count."),
      ),
      checkField(draft, "catches", "Catch trials", CATCHES),
      checkField(draft, "headphones", "Headphone check", "Listeners first find the quietest of three tones."),
      checkField(draft, "shows_text", "Show the text", "Listeners read the line while they listen."),
      this.arena,
    );
  }

  #typed() {
    this.trouble.remove();
    this.#drawCount();
    this.changed();
  }

  #drawCount() {
    const { lines, arms } = this.draft;
    const count = linesOf(lines).length;
    const words = `${plural(count, "line")}, ${plural(count * arms.length, "take")} to render.`;
    const fault = linesFault(lines);
    this.lines.setCustomValidity(fault);
    const shown = count && fault ? fault : words;
    if (this.count.textContent !== shown) this.count.textContent = shown;
  }

  /**
   * Show an error at the part that it is about. Returns false if the part is unknown.
   * @param {string} message @param {string | null} param  the field that the studio names
   */
  showError(message, param) {
    const name = partOf(message, param);
    const part = this.parts[name === "reference" ? "arms" : name || "method"];
    if (!name || !part) return false;
    this.trouble.textContent = sentence(message);
    part.append(this.trouble);
    /** @type {HTMLElement | null} */
    const first = part.querySelector("input, select, textarea");
    first?.focus({ preventScroll: true });
    this.trouble.scrollIntoView({ block: "center" });
    return true;
  }
}

/** Show a folded field that the browser rejects. @param {Event} event */
function unfold({ target }) {
  const folded = target instanceof Element && target.closest("details");
  if (folded) folded.open = true;
}
