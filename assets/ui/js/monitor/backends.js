/** Shows the backends of an engine: which backend runs each computation, whether it is warm, and why no faster one runs. */
import { h } from "../core/dom.js";

export class Backends {
  constructor() {
    this.summary = h("summary");
    this.list = h("dl.backends-list");
    this.element = h("details.backends", { hidden: true }, this.summary, this.list);
    this.drawn = "";
  }

  /** @param {BackendChoice[]} choices @param {string} state  of the engine */
  update(choices, state) {
    const drawn = JSON.stringify([choices, state]);
    this.element.hidden = !choices.length;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const failed = choices.some(({ failure }) => failure);
    const names = [...new Set(choices.map(({ backend }) => backend))].join(", ");
    const warm = state === "ready" ? "warm" : "warming up";
    this.summary.textContent = `Backends: ${names}${failed ? " (a faster backend failed)" : ""}, ${warm}`;
    this.list.replaceChildren(...choices.flatMap(entry));
  }
}

/** @param {BackendChoice} choice */
function entry({ computation, backend, title, numerics, skipped, failure }) {
  const reasons = Object.entries(skipped).map(([name, reason]) => h("li", {}, `${name}: ${reason}`));
  if (failure) reasons.push(h("li", {}, `failed: ${failure}`));
  return [
    h("dt", {}, computation),
    h("dd", {}, h("span", {}, `${title} (${backend}, ${numerics})`), reasons.length ? h("ul", {}, ...reasons) : null),
  ];
}
