/** A preview of the first file names of a delivery, as the studio would create them. */
import { h } from "../core/dom.js";
import { sentence } from "../core/format.js";
import { post, reason } from "../core/server.js";
import { debounced } from "../core/timing.js";
import { saved } from "./outbox.js";
import { projectPath } from "./state.js";

const UNNUMBERED = "the file names appear when each line has its own id";
const RENUMBERED = "the number of the new take is not known yet";
const NOTHING = { selects: 0, unselected: 0, stale: [], same_ids: [], names: [], open_names: [] };
const AFTER_MS = 200; // pause after the last change

export class NamesPreview {
  /**
   * @param {() => Record<string, unknown>} ordered @param {() => number} files  the number of files
   * @param {(preview: DeliveryPreview) => void} onpreview
   */
  constructor(ordered, files, onpreview) {
    this.ordered = ordered;
    this.files = files;
    this.onpreview = onpreview;
    this.asked = 0;
    this.list = h("ol.delivery-names", { "aria-label": "Preview of names" });
    this.trouble = h("p.delivery-trouble", { role: "status" });
    this.element = h("div.delivery-preview", {}, h("h3", {}, "Preview of file names"), this.list, this.trouble);
    this.soon = debounced(AFTER_MS, () => this.refresh());
  }

  async refresh() {
    this.asked += 1;
    const mine = this.asked;
    try {
      await saved();
      const ordered = this.ordered();
      const preview = await post(projectPath("/deliver/preview"), ordered);
      if (mine !== this.asked) return;
      this.onpreview(preview); // may restore an answer about stale selects, which changes the names
      this.#draw(preview);
      if (JSON.stringify(ordered) !== JSON.stringify(this.ordered())) this.soon();
    } catch (error) {
      if (mine === this.asked) this.#draw({ ...NOTHING, error: reason(error) });
    }
  }

  /** @param {DeliveryPreview} preview */
  #draw({ same_ids, names, open_names, error }) {
    const more = this.files() - names.length;
    const note = (/** @type {string} */ name) => open_names.includes(name) && h("span.hint", {}, ` ${RENUMBERED}`);
    const items = names.map((name) => h("li", {}, h("code", {}, name), note(name)));
    this.list.replaceChildren(...items, ...(names.length && more > 0 ? [h("li.hint", {}, `and ${more} more`)] : []));
    this.trouble.textContent = error && sentence(same_ids.length ? UNNUMBERED : error);
  }
}
