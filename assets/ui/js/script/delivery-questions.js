/** Questions before a delivery: about stale selects, and about duplicate ids. */
import { h } from "../core/dom.js";
import { plural } from "../core/format.js";

const SHOWN = 5; // lines shown per question
/** @type {[StaleRule, string, (preview: DeliveryPreview) => string][]} */
const RULES = [
  ["render", "Render again and use the new takes", ({ stale }) => renderWords(stale)],
  [
    "deliver",
    "Deliver anyway",
    () => "Tables and subtitles contain the text of the old takes. These lines are flagged in manifest.json.",
  ],
  [
    "leave_out",
    "Leave these lines out",
    ({ stale }) => `${plural(stale.length, "line is", "lines are")} not delivered.`,
  ],
];

/** Unused answers about stale selects, by sheet and question. @type {Map<string, StaleRule>} */
const answers = new Map();

export class DeliveryQuestions {
  /**
   * @param {string} sheet
   * @param {{onchange: () => void, number: () => void}} page  `number` lets duplicate ids get numbers
   */
  constructor(sheet, { onchange, number }) {
    this.sheet = sheet;
    this.page = { onchange: () => this.#keep(onchange), number };
    /** @type {DeliveryPreview | null} */ this.preview = null;
    this.drawn = "";
    /** @type {HTMLInputElement[]} */ this.rules = [];
    this.ids = h("div.delivery-question", { hidden: true });
    this.stale = h("fieldset.delivery-question", { hidden: true });
    this.missing = h("p.hint", { hidden: true });
    this.element = h("div.delivery-questions", {}, this.missing, this.stale, this.ids);
  }

  /** Return the rule for stale selects. @returns {StaleRule} */
  get rule() {
    const rule = this.rules.find(({ checked }) => checked)?.value;
    return /** @type {StaleRule} */ (rule ?? "refuse");
  }

  /** Return the key of the question. It differs if other lines are stale. */
  get #question() {
    return JSON.stringify([this.sheet, this.preview?.stale.map(({ id, why }) => [id, why])]);
  }

  /** Keep the answer, also while the dialog is closed. @param {() => void} onchange */
  #keep(onchange) {
    answers.set(this.#question, this.rule);
    onchange();
  }

  /** Drop the answer, because a delivery used it. */
  forget() {
    answers.delete(this.#question);
  }

  /** Return the number of files. */
  get files() {
    const { selects, stale } = this.preview ?? { selects: 0, stale: [] };
    return selects - (this.rule === "leave_out" ? stale.length : 0);
  }

  /**
   * Return the question that must be answered first, and focus it; empty if there is none.
   * @param {boolean} numbered
   */
  ask(numbered) {
    if (this.preview?.stale.length && this.rule === "refuse") {
      this.rules[0].focus();
      return `${staleWords(this.preview)}. Choose what to do.`;
    }
    if (!this.preview?.same_ids.length || numbered) return "";
    this.ids.querySelector("button")?.focus();
    return "Several lines have the same id. Add numbers to the duplicates, or give each line its own id.";
  }

  /** @param {DeliveryPreview} preview @param {boolean} numbered */
  show(preview, numbered) {
    this.preview = preview;
    this.missing.hidden = !preview.unselected;
    this.missing.textContent = missingWords(preview.unselected);
    const drawn = JSON.stringify([preview.stale, preview.same_ids, numbered]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.#drawStale(preview);
    this.#drawIds(preview, numbered);
  }

  /** @param {DeliveryPreview} preview */
  #drawStale(preview) {
    const rule = answers.get(this.#question) ?? this.rule;
    this.rules = [];
    this.stale.replaceChildren();
    this.stale.hidden = !preview.stale.length;
    // hidden radio buttons cannot get the focus, but the dialog would choose them as its first field
    if (this.stale.hidden) return;
    this.rules = RULES.map(([value]) =>
      h("input", { type: "radio", name: "stale", value, checked: value === rule, onchange: this.page.onchange }),
    );
    const choices = RULES.map(([, words, hint], at) =>
      h("label.check", {}, this.rules[at], h("span", {}, words, h("span.hint", {}, hint(preview)))),
    );
    const lines = preview.stale.map(({ id, why }) => h("li", {}, h("b", {}, id), ` ${why}`));
    this.stale.replaceChildren(h("legend", {}, staleWords(preview)), some(lines), ...choices);
  }

  /** @param {DeliveryPreview} preview @param {boolean} numbered */
  #drawIds({ same_ids }, numbered) {
    this.ids.hidden = !same_ids.length;
    this.ids.classList.toggle("answered", numbered);
    const lines = same_ids.map(({ id, lines }) => h("li", {}, h("b", {}, id), ` ${plural(lines.length, "line")}`));
    const act = h("button.quiet.small", { type: "button", onclick: this.page.number }, "Add numbers to duplicates");
    this.ids.replaceChildren(
      h("h3", {}, same_ids.length === 1 ? "1 duplicate id" : `${same_ids.length} duplicate ids`),
      some(lines),
      numbered
        ? h(
            "p.hint",
            {},
            `Every line after the first gets a number, such as ${same_ids[0]?.id}_2, in files and tables.`,
          )
        : h("p", {}, "Each line needs its own id. ", act),
    );
  }
}

/** @param {DeliveryPreview} preview */
function staleWords({ stale }) {
  return stale.length === 1 ? "1 selected take is stale" : `${stale.length} selected takes are stale`;
}

/** @param {number} lines */
function missingWords(lines) {
  return `${plural(lines, "line has", "lines have")} no selected take and ${lines === 1 ? "is" : "are"} not delivered.`;
}

/** @param {DeliveryPreview["stale"]} stale */
function renderWords(stale) {
  const ready = stale.filter((one) => one.ready).length;
  if (ready && ready === stale.length)
    return ready === 1
      ? "A new take exists. The new take is selected and delivered."
      : "New takes exist. The new takes are selected and delivered.";
  return ready
    ? `New takes exist for ${ready} of ${stale.length} lines. The other lines are rendered first. Then all new takes are selected and delivered.`
    : "The lines are rendered again. Then the new takes are selected and delivered.";
}

/** @param {HTMLElement[]} lines */
function some(lines) {
  const more = lines.length > SHOWN && h("li", {}, `and ${lines.length - SHOWN} more`);
  return h("ul.delivery-lines", {}, ...lines.slice(0, SHOWN), ...(more ? [more] : []));
}
