/** The checks of a take: failed and uncertain checks are always shown, the others on demand. */
import { h, icon } from "../core/dom.js";
import { sentence } from "../core/format.js";
import { checkName } from "./check-names.js";

const OUTCOMES = /** @type {const} */ ({
  fail: { sign: "fail", words: "failed" },
  doubt: { sign: "warn", words: "uncertain" },
  unmeasured: { sign: "help", words: "not measured" },
  ok: { sign: "check", words: "passed" },
});
const ORDER = Object.keys(OUTCOMES);

export class TakeChecks {
  constructor() {
    this.found = h("ul.take-checks", { "aria-label": "Checks that need attention" });
    this.rest = h("ul.take-checks.rest", { "aria-label": "Other checks", hidden: true });
    this.summary = h("button.checks-summary", {
      type: "button",
      "aria-expanded": "false",
      onclick: () => this.#unfold(),
    });
    this.element = h("div.checks", {}, this.found, this.summary, this.rest);
  }

  #unfold() {
    this.rest.hidden = !this.rest.hidden;
    this.summary.setAttribute("aria-expanded", String(!this.rest.hidden));
  }

  /** @param {LineTake} take @param {boolean} blind  hides all checks */
  show({ checks, score, stale }, blind) {
    const items = (/** @type {TakeCheck[]} */ some) => some.toSorted(byUrgency).map(checkItem);
    const attention = checks.filter(needsAttention);
    const pending = score === null && !stale ? [h("li", {}, "Checking…")] : [];
    const count = (/** @type {TakeCheck["outcome"]} */ wanted) =>
      checks.filter(({ outcome }) => outcome === wanted).length;
    const [passed, unmeasured] = [count("ok"), count("unmeasured")];
    const words = `${passed} of ${checks.length - unmeasured} checks passed`;
    this.element.hidden = blind || !(checks.length || pending.length);
    this.found.replaceChildren(...items(attention), ...pending);
    this.found.hidden = !this.found.children.length;
    this.rest.replaceChildren(...items(checks.filter((check) => !needsAttention(check))));
    this.summary.hidden = !this.rest.children.length;
    this.summary.replaceChildren(
      ...(passed ? [icon("check")] : []),
      h("span", {}, unmeasured ? `${words}, ${unmeasured} not measured` : words),
      icon("down"),
    );
  }
}

/** @param {TakeCheck} check */
function needsAttention({ outcome }) {
  return outcome === "fail" || outcome === "doubt";
}

/** @param {TakeCheck} one @param {TakeCheck} other */
function byUrgency(one, other) {
  return ORDER.indexOf(one.outcome) - ORDER.indexOf(other.outcome);
}

/** Return a list item with icon, name, finding and model of a check. @param {TakeCheck} check */
function checkItem({ name, outcome, message, model }) {
  const { sign, words } = OUTCOMES[outcome];
  const by = model ? `${sentence(message)} Measured by ${model}.` : sentence(message);
  return h(
    "li",
    { "data-outcome": outcome, title: by },
    icon(sign),
    h("span.check-name", {}, checkName(name)),
    h("span.sr-only", {}, `${words}. ${by}`),
    outcome !== "ok" && h("span.found", { "aria-hidden": "true" }, message),
  );
}
