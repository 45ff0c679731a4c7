/** One archive in a store: what it is, whether it is here, and pulling or deleting it, each asked once before. */
import { emit } from "./bus.js";
import { h, icon, iconButton } from "./dom.js";
import { begin } from "./jobs.js";
import { freeId } from "./library.js";
import { attempt } from "./login.js";
import { face } from "./mark.js";
import { post, remove } from "./server.js";
import { state } from "./state.js";
import { moment, sentence, size } from "./words.js";
import { WorkList } from "./work.js";

const HERE = {
  same: { sign: "check", words: "here, the same" },
  other: { sign: "compare", words: "here, but different" },
  absent: { sign: "download", words: "not here" },
};

export class StoreRow {
  constructor(store) {
    this.store = store;
    this.head = h("div.held-head");
    this.asked = h("div.held-asked", { hidden: true, role: "group", "aria-label": "Please confirm" });
    this.work = new WorkList(h("ul.works", { "aria-label": "Under way" }));
    this.element = h("li.held", {}, this.head, this.asked, this.work.element);
  }

  /** @param held  as GET /studio/stores/{name} tells it */
  update(held) {
    if (JSON.stringify(held) === JSON.stringify(this.held)) return;
    this.held = held;
    const { id, bytes, changed_at, here } = held;
    const known = state.champions.find((one) => one.id === id);
    const facts = [size(bytes), changed_at && moment(changed_at)].filter(Boolean);
    const pull = h("button.quiet.small", { type: "button", onclick: () => this.plan() }, "Pull");
    pull.setAttribute("aria-label", `Pull ${id}`);
    this.head.replaceChildren(
      face(known ?? { id, colour: "" }),
      h("div.held-words", {}, h("p.held-id", {}, id), h("p.facts", {}, ...facts.map((one) => h("span.fact", {}, one)))),
      h(`span.here.${here}`, {}, icon(HERE[here].sign), HERE[here].words),
      here === "same" ? h("span") : pull,
      iconButton("trash", `Delete ${id} from ${this.store}`, () => this.confirmDelete()),
    );
  }

  get path() {
    return `/studio/stores/${this.store}/${this.held.id}`;
  }

  /** What a pull would do, then the ways to do it. */
  async plan() {
    const { id, here } = this.held;
    const plan = await attempt(() => post(`${this.path}/pull?dry_run=true`));
    if (!plan) return;
    const current = state.champions.find((one) => one.id === id);
    const other = freeId(id);
    if (here === "other" && current)
      this.#ask(`${sentence(plan.sentence)} The ${id} here differs.`, [
        ["primary", `Pull as ${other}`, () => this.pull({ as_id: other })],
        ["quiet", "Pull over mine", () => this.pull({ expected: current.version }), "Yours stays among its versions"],
      ]);
    else this.#ask(sentence(plan.sentence), [["primary", "Pull it", () => this.pull({})]]);
  }

  async pull(how) {
    await begin(() => post(`${this.path}/pull?${new URLSearchParams(how)}`));
  }

  confirmDelete() {
    const { id, bytes } = this.held;
    const words = `Delete ${id}, ${size(bytes)}, from ${this.store} for good? Whoever loads it from there loses it.`;
    this.#ask(words, [["quiet", "Delete for good", () => this.deleteIt()]]);
  }

  async deleteIt() {
    if (await attempt(() => remove(this.path))) emit("store-changed");
  }

  /** @param {[string, string, () => void, string?][]} ways  look, words, act, and why */
  #ask(words, ways) {
    const back = document.activeElement;
    const close = () => {
      this.asked.hidden = true;
      this.asked.replaceChildren();
    };
    const button = ([look, label, act, why]) =>
      h(`button.${look}.small`, { type: "button", title: why, onclick: () => act(close()) }, label);
    const not = h("button.quiet.small", { type: "button", onclick: () => back?.focus(close()) }, "Not now");
    this.asked.replaceChildren(h("p", { role: "alert" }, words), h("div.held-ways", {}, ...ways.map(button), not));
    this.asked.hidden = false;
    this.asked.querySelector("button").focus();
  }
}
