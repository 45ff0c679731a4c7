/** The words of a take: a chip with lost words, details on demand, and "Generate until complete". */
import { announce, h, icon } from "../core/dom.js";
import { attempt } from "../core/login.js";
import { post } from "../core/server.js";
import { state } from "../core/state.js";
import { heardDetails, lostWords, resultOf } from "./heard.js";
import { loadTakes } from "./takes.js";
import { SEARCH_HINT, search, stopSearch, untilComplete } from "./until-complete.js";

export class TakeWords {
  /** @param {Take} take */
  constructor(take) {
    this.take = take;
    this.drawn = "";
    this.button = h("button.take-words", { type: "button", onclick: () => this.#press() });
    this.list = h("ul.take-heard", { id: `heard-${take.id}`, hidden: true });
    this.more = h(
      "button.quiet.small",
      { type: "button", title: SEARCH_HINT, onclick: () => untilComplete(this.take) },
      icon("again"),
      "Generate until complete",
    );
    this.note = h("p.take-note", { hidden: true });
    this.words = h("p", { role: "status" });
    this.stop = h("button.quiet.small", { type: "button", onclick: stopSearch }, icon("stop"), "Stop");
    this.progress = h("div.take-search", { hidden: true }, this.words, this.stop);
    this.elements = [h("div.take-lost", {}, this.button, this.more), this.note, this.list, this.progress];
  }

  /** @param {Take} take  from the server */
  update(take) {
    const waited = this.take.hearing;
    this.take = take;
    this.#drawSearch();
    const now = JSON.stringify([take.heard, take.hearing, state.recogniser]);
    if (now === this.drawn) return;
    this.drawn = now;
    this.#draw();
    if (waited && take.heard && !search()) announce(`${resultOf(take).words}.`);
  }

  #draw() {
    const { heard, hearing } = this.take;
    const lost = lostWords(heard);
    const { sign, words } = resultOf(this.take);
    this.button.replaceChildren(...(sign ? [icon(sign)] : []), words);
    this.button.classList.toggle("lost", Boolean(lost));
    this.button.disabled = !heard && hearing;
    this.button.hidden = !heard && !state.recogniser;
    this.button.title = heard ? "Show heard words" : "";
    this.more.hidden = !lost || Boolean(this.take.order.performance || this.take.order.design);
    this.note.hidden = !heard?.note;
    this.note.replaceChildren(...(heard?.note ? [icon("again"), heard.note] : []));
    if (heard) this.button.setAttribute("aria-controls", this.list.id);
    if (heard) this.button.setAttribute("aria-expanded", String(!this.list.hidden));
    this.list.replaceChildren(...(heard ? heardDetails(heard).map((sentence) => h("li", {}, sentence)) : []));
  }

  #drawSearch() {
    const mine = search()?.take.id === this.take.id;
    this.more.disabled = Boolean(search());
    const words = mine ? (search()?.words ?? "") : "";
    if (this.words.textContent !== words) this.words.textContent = words;
    this.progress.hidden = !mine;
  }

  #press() {
    if (!this.take.heard) return this.#check();
    this.list.hidden = !this.list.hidden;
    this.button.setAttribute("aria-expanded", String(!this.list.hidden));
    return undefined;
  }

  #check() {
    return attempt(async () => {
      await post(`/studio/takes/${this.take.id}/hear`, {});
      await loadTakes();
    });
  }
}
