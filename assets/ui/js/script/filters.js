/** Search and filters for lines, and actions on ticked lines. */
import { playButton } from "../audio/play-button.js";
import { follow } from "../core/bus.js";
import { h, icon, iconButton } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { plural } from "../core/format.js";
import { debounced } from "../core/timing.js";
import { discard, isMarked, toggleMark } from "./acts.js";
import { openFill } from "./bulk-dialog.js";
import { charactersOf } from "./casting.js";
import { selectOf } from "./choice.js";
import { notedLines } from "./line-notes.js";
import { ALL, CONCERNS, STATUSES, tally } from "./lines.js";
import { playLines } from "./play-through.js";
import { askRender } from "./render-dialog.js";
import { roles, scriptState } from "./state.js";
import { STATES } from "./status.js";
import { isFiltered, selectAll, setFilter, view } from "./view.js";

const MARKS = /** @type {const} */ ([
  ["select", "Select"],
  ["hold", "Hold"],
  ["retake", "Retake"],
]);
const EVERY = "\0"; // value for all characters; no character has this name

export class Filters {
  total = 0; // lines of the sheet

  /** @param {{add: () => void, reveal: () => void}} acts */
  constructor({ add, reveal }) {
    this.find = h("input.find", { type: "search", placeholder: "Find", "aria-label": "Find lines" });
    const look = debounced(80, () => setFilter({ words: this.find.value }));
    this.find.addEventListener("input", look);
    this.character = h("select", { "aria-label": "Character", onchange: () => this.#filter() });
    this.status = h("select", { "aria-label": "Status", onchange: () => this.#filter() });
    const states = [...STATUSES.slice(0, 4), ...CONCERNS, ...STATUSES.slice(4)];
    const named = states.map((state) => [state, STATES[/** @type {LineStatus} */ (state)].words]);
    this.status.append(...[["", "All statuses"], ...named].map(([value, words]) => h("option", { value }, words)));
    follow(STATE.lines, () => this.#drawCounts());
    const toggleNoted = () => setFilter({ noted: !view.filter.noted });
    this.noted = h("button.quiet.small.noted", { type: "button", onclick: toggleNoted });
    this.count = h("span.readout", { role: "status" });
    this.clear = h("button.link", { type: "button", onclick: () => this.#showAll(reveal) }, "Show all");
    this.chosen = h("div.chosen", { hidden: true });
    this.marks = new Map(MARKS.map(([name, words]) => [name, markButton(name, words)]));
    this.element = h(
      "div.filters",
      { role: "search" },
      h("span.search-holder", {}, icon("search"), this.find),
      selectOf(this.character),
      selectOf(this.status),
      this.noted,
      this.count,
      this.clear,
      h("span.gap"),
      this.chosen,
      playButton("Play ticked lines, or all lines from the current one (T)", playLines),
      h("button.quiet.add-line", { type: "button", onclick: add }, "Add line"),
    );
    follow([STATE.script, STATE.lines], () => this.#drawCharacters());
    follow([STATE.view, STATE.lines], () => this.#draw());
  }

  #filter() {
    const { value } = this.character;
    setFilter({ character: value === EVERY ? null : value, status: this.status.value });
  }

  /** Show all lines. The button disappears, so the focus moves to the cursor's line. @param {() => void} reveal */
  #showAll(reveal) {
    setFilter(ALL);
    reveal();
  }

  #drawCharacters() {
    const names = charactersOf(scriptState.lines.values(), roles()).map(({ name }) => name);
    const drawn = JSON.stringify(names);
    if (this.character.dataset.drawn === drawn) return;
    this.character.dataset.drawn = drawn;
    const options = [[EVERY, "All characters"], ...names.map((name) => [name, name || "No character"])];
    this.character.replaceChildren(...options.map(([value, words]) => h("option", { value }, words)));
  }

  /** Show the number of lines in each status option, because a phone has no other counters. */
  #drawCounts() {
    const counts = tally(scriptState.lines.values());
    this.total = counts.all;
    for (const option of [...this.status.options].slice(1)) {
      const { words } = STATES[/** @type {LineStatus} */ (option.value)];
      const count = counts[option.value];
      option.textContent = count ? `${words} (${count.toLocaleString("en")})` : words;
    }
  }

  #draw() {
    const { filter, shown, selected } = view;
    if (!this.find.matches(":focus")) this.find.value = filter.words;
    this.character.value = filter.character ?? EVERY;
    this.status.value = filter.status;
    this.#drawNoted();
    this.clear.hidden = !isFiltered();
    this.count.textContent = isFiltered()
      ? `${plural(shown.length, "line")} of ${this.total.toLocaleString("en")}`
      : "";
    this.#drawChosen(selected.size);
  }

  #drawNoted() {
    const { size } = notedLines();
    const { noted } = view.filter;
    this.noted.hidden = !size && !noted;
    this.noted.setAttribute("aria-pressed", String(noted));
    const [number, ...words] = `${plural(size, "line")} with warnings`.split(" ");
    const drawn = [number, ...words].join(" ");
    if (this.noted.textContent !== drawn)
      this.noted.replaceChildren(icon("warn"), h("span", {}, number, h("span.label-wide", {}, ` ${words.join(" ")}`)));
  }

  /** Show which marks all ticked lines have. */
  #drawMarks() {
    for (const [name, button] of this.marks) button.setAttribute("aria-pressed", String(isMarked(name)));
  }

  /** @param {number} count */
  #drawChosen(count) {
    const { chosen } = this;
    chosen.hidden = !count;
    this.#drawMarks();
    if (!count || chosen.dataset.count === String(count)) return;
    chosen.dataset.count = String(count);
    const button = (/** @type {string} */ words, /** @type {() => unknown} */ onclick, title = "") =>
      h("button.quiet.small", { type: "button", onclick, title: title || null }, words);
    chosen.replaceChildren(
      h("b", {}, `${count.toLocaleString("en")} ticked`),
      h("span.chosen-marks", { role: "group", "aria-label": "Mark ticked lines" }, ...this.marks.values()),
      button("Change column…", openFill),
      button("Render options…", askRender),
      button("Delete", discard),
      iconButton("close", "Untick all lines", () => selectAll(false)),
    );
  }
}

/** @param {(typeof MARKS)[number][0]} name @param {string} words */
function markButton(name, words) {
  const onclick = () => toggleMark(name);
  return h("button.quiet.small", { type: "button", onclick, title: `Mark as ${name}` }, words);
}
