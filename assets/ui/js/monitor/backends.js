/** The backends of an engine: what computes each part, and why nothing faster does. */
import { h } from "../core/dom.js";

export class Backends {
  constructor() {
    this.summary = h("summary");
    this.list = h("dl.backends-list");
    this.element = h("details.backends", { hidden: true }, this.summary, this.list);
    this.drawn = "";
  }

  /** @param {BackendChoice[]} choices */
  update(choices) {
    const drawn = JSON.stringify(choices);
    this.element.hidden = !choices.length;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const failed = choices.some(({ failure }) => failure);
    const names = [...new Set(choices.map(({ backend }) => backend))].join(", ");
    this.summary.textContent = failed ? `Backends: ${names} (a faster backend failed)` : `Backends: ${names}`;
    this.list.replaceChildren(...choices.flatMap(entry));
  }
}

/** @param {BackendChoice} choice */
function entry({ computation, backend, title, numerics, skipped }) {
  const reasons = Object.entries(skipped).map(([name, reason]) => h("li", {}, `${name}: ${reason}`));
  return [
    h("dt", {}, computation),
    h("dd", {}, h("span", {}, `${title} (${backend}, ${numerics})`), reasons.length ? h("ul", {}, ...reasons) : null),
  ];
}
