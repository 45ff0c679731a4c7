/** The first names of a delivery's files, as the studio would give them. */
import { h } from "../core/dom.js";
import { sentence } from "../core/format.js";
import { post, reason } from "../core/server.js";
import { debounced } from "../core/timing.js";
import { projectPath } from "./desk.js";
import { saved } from "./outbox.js";

const UNNUMBERED = "resolve the duplicate ids to see the file names";
const AFTER_MS = 200; // of the last change

export class NamesPreview {
  /** @param {() => Record<string, unknown>} ordered @param {(preview: DeliveryPreview) => void} onpreview */
  constructor(ordered, onpreview) {
    this.ordered = ordered;
    this.onpreview = onpreview;
    this.asked = 0;
    this.list = h("ol.delivery-names", { "aria-label": "First file names" });
    this.trouble = h("p.delivery-trouble", { role: "status" });
    this.element = h("div.delivery-preview", {}, h("h3", {}, "File names"), this.list, this.trouble);
    this.soon = debounced(AFTER_MS, () => this.refresh());
  }

  async refresh() {
    this.asked += 1;
    const mine = this.asked;
    try {
      await saved();
      const preview = await post(projectPath("/deliver/preview"), this.ordered());
      if (mine !== this.asked) return;
      this.#draw(preview);
      this.onpreview(preview);
    } catch (error) {
      if (mine === this.asked) this.#draw({ selects: 0, stale: [], same_ids: [], names: [], error: reason(error) });
    }
  }

  /** @param {DeliveryPreview} preview */
  #draw({ selects, same_ids, names, error }) {
    const more = selects - names.length;
    const items = names.map((name) => h("li", {}, h("code", {}, name)));
    this.list.replaceChildren(...items, ...(names.length && more > 0 ? [h("li.hint", {}, `and ${more} more`)] : []));
    this.trouble.textContent = error && sentence(same_ids.length ? UNNUMBERED : error);
  }
}
