/** Makes a champion from the best arm. */
import { loadChampions, proposedId } from "../champions/library.js";
import { h } from "../core/dom.js";
import { post, reason } from "../core/server.js";
import { pathOf } from "./sessions.js";

const NAME_MAX = 80;
const UNSURE = "The result is not sure: another arm may be better.";
const NO_BEST = "There is no best arm yet. Collect votes first.";
const NO_SIDE = "ABX shows whether a difference is audible, not which arm is better.";

export class WinnerForm {
  /** @param {string} id */
  constructor(id) {
    this.id = id;
    this.typed = false; // whether the user typed a name
    /** The arm that became a champion. @type {number | null} */ this.championArm = null;
    /** The best arm. @type {number | null} */ this.best = null;
    this.input = h("input", { type: "text", required: true, maxlength: NAME_MAX, spellcheck: "false" });
    this.button = h("button.primary", { "aria-describedby": "winner-note" }, "Make the winner a champion");
    this.title = h("h4", {});
    this.note = h("p.hint", { id: "winner-note" });
    this.said = h("div.winner-said", { role: "status" });
    const label = h("label.session-field", {}, h("span.label", {}, "Name of the champion"), this.input);
    this.form = h("form.winner-form", { autocomplete: "off" }, label, this.button);
    this.element = h("div.session-part.winner", { hidden: true }, this.title, this.note, this.form, this.said);
    this.input.addEventListener("input", () => {
      this.typed = true;
    });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#make();
    });
  }

  /** @param {ListeningSession} session @param {SessionResults} results */
  draw({ plan }, { best, sure }) {
    const arm = best === null ? null : plan.arms[best];
    this.best = best;
    this.form.hidden = best !== null && best === this.championArm;
    this.title.textContent = arm ? `Best arm: ${arm.name}` : "Best arm";
    this.note.textContent = arm ? (sure ? "" : UNSURE) : plan.method === "abx" ? NO_SIDE : NO_BEST;
    this.note.classList.toggle("unsure", Boolean(arm) && !sure);
    this.input.disabled = !arm;
    this.button.disabled = !arm;
    if (!this.typed && document.activeElement !== this.input) this.input.value = arm?.name ?? "";
    this.element.hidden = false;
  }

  async #make() {
    this.button.disabled = true;
    const arm = this.best; // polled results may change it during the request
    try {
      await loadChampions(); // the new id must differ from the ids of all champions
      const name = this.input.value.trim();
      /** @type {Champion} */
      const made = await post(pathOf(this.id, "/champion"), { name, id: proposedId(name) });
      const link = h("a.button", { href: "#champions" }, "Open Champions");
      this.said.replaceChildren(h("p", {}, `${made.title} is now a champion.`), link);
      this.championArm = arm;
      this.form.hidden = true;
      link.focus({ preventScroll: true }); // the button that had the focus is hidden
      loadChampions().catch(() => {}); // the Champions page shows the error
    } catch (error) {
      this.said.replaceChildren(h("p.part-trouble", {}, reason(error)));
    }
    this.button.disabled = false;
  }
}
