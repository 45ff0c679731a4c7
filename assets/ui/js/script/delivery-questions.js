/** What a delivery asks before it begins: about stale selects, and about ids that several lines have. */
import { h } from "../core/dom.js";
import { plural } from "../core/format.js";

const SHOWN = 5; // lines
/** @type {[StaleRule, string, (preview: DeliveryPreview) => string][]} */
const RULES = [
  ["render", "Render and re-select", ({ stale }) => renderWords(stale)],
  [
    "deliver",
    "Deliver anyway",
    () => "Tables and subtitles use the text of the old takes. The manifest flags these takes.",
  ],
  ["leave_out", "Leave out", ({ stale }) => `${stale.length} fewer ${stale.length === 1 ? "file" : "files"}.`],
];

export class DeliveryQuestions {
  /** @param {{onchange: () => void, number: () => void}} page  `number` chooses that shared ids get numbers */
  constructor({ onchange, number }) {
    this.page = { onchange, number };
    /** @type {DeliveryPreview | null} */ this.preview = null;
    this.drawn = "";
    /** @type {HTMLInputElement[]} */ this.rules = [];
    this.ids = h("div.delivery-question", { hidden: true });
    this.stale = h("fieldset.delivery-question", { hidden: true });
    this.element = h("div.delivery-questions", {}, this.stale, this.ids);
  }

  /** What is to become of stale selects. @returns {StaleRule} */
  get rule() {
    const rule = this.rules.find(({ checked }) => checked)?.value;
    return /** @type {StaleRule} */ (rule ?? "refuse");
  }

  /** How many files there will be. */
  get files() {
    const { selects, stale } = this.preview ?? { selects: 0, stale: [] };
    return selects - (this.rule === "leave_out" ? stale.length : 0);
  }

  /** What must be answered first; empty where nothing is. It has the focus then. @param {boolean} numbered */
  ask(numbered) {
    if (this.preview?.stale.length && this.rule === "refuse") {
      this.rules[0].focus();
      return `${staleWords(this.preview)}. Choose an option.`;
    }
    if (!this.preview?.same_ids.length || numbered) return "";
    this.ids.querySelector("button")?.focus();
    return "Several lines have the same id. Number the duplicates, or give each line its own id.";
  }

  /** @param {DeliveryPreview} preview @param {boolean} numbered */
  show(preview, numbered) {
    this.preview = preview;
    const drawn = JSON.stringify([preview.stale, preview.same_ids, numbered]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.#drawStale(preview);
    this.#drawIds(preview, numbered);
  }

  /** @param {DeliveryPreview} preview */
  #drawStale(preview) {
    const { rule } = this;
    this.stale.hidden = !preview.stale.length;
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
    const act = h("button.quiet.small", { type: "button", onclick: this.page.number }, "Number duplicates");
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
  return stale.length === 1 ? "1 select is stale" : `${stale.length} selects are stale`;
}

/** @param {DeliveryPreview["stale"]} stale */
function renderWords(stale) {
  const ready = stale.filter((one) => one.ready).length;
  if (ready === stale.length) return ready === 1 ? "The new take is ready." : "The new takes are ready.";
  return ready
    ? `${plural(ready, "new take")} ready, ${stale.length - ready} to render.`
    : "Renders new takes and marks them as select.";
}

/** @param {HTMLElement[]} lines */
function some(lines) {
  const more = lines.length > SHOWN && h("li", {}, `and ${lines.length - SHOWN} more`);
  return h("ul.delivery-lines", {}, ...lines.slice(0, SHOWN), ...(more ? [more] : []));
}
