/** What there is to know of a sheet that has just come in: notes on its file, and a warning for each line, which leads to its row. */
import { follow } from "../core/bus.js";
import { h, icon } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { plural } from "../core/format.js";
import { dropImportNotes, importNotes, otherEncoding } from "./arrivals.js";
import { desk, roles } from "./desk.js";
import { notedLines } from "./line-notes.js";
import { ALL, cellOf } from "./lines.js";
import { moveTo, setFilter, view } from "./view.js";

/** @import { Grid } from "./grid.js" */

const SHOWN = 50; // lines; a filter shows them all

export class ImportNotes {
  /** @param {Grid} grid */
  constructor(grid) {
    this.grid = grid;
    this.drawn = "";
    /** By sheet, while the page is open. @type {Map<string, boolean>} */ this.unfolded = new Map();
    this.element = h("section.import-notes", { "aria-label": "Import notes", hidden: true });
    follow([STATE.script, STATE.lines], () => this.#draw());
  }

  #draw() {
    const { sheet } = desk;
    const ofFile = importNotes(sheet?.id);
    const noted = sheet && ofFile ? [...notedLines()] : [];
    const other = sheet ? otherEncoding(sheet.id) : null;
    const drawn = JSON.stringify([sheet?.id, ofFile, noted, Boolean(other)]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.element.hidden = !sheet || !ofFile || !(ofFile.length || noted.length || other);
    if (this.element.hidden || !sheet) return;
    const focused = this.element.contains(document.activeElement) ? document.activeElement?.textContent : null;
    const list = this.#list(ofFile ?? [], noted);
    const fold = this.#fold(sheet.id, list);
    this.element.replaceChildren(this.#head(sheet, noted.length, fold, other), list);
    if (focused) [...this.element.querySelectorAll("button")].find((one) => one.textContent === focused)?.focus();
  }

  /** The button that shows and hides the list. A list of several items starts hidden. @param {string} sheet @param {HTMLElement} list */
  #fold(sheet, list) {
    const count = list.children.length;
    list.hidden = !(this.unfolded.get(sheet) ?? count < 2);
    const onclick = () => {
      list.hidden = !list.hidden;
      this.unfolded.set(sheet, !list.hidden);
      button.setAttribute("aria-expanded", String(!list.hidden));
    };
    const button = h("button.quiet.small.fold", { type: "button", onclick }, "Details");
    button.setAttribute("aria-expanded", String(!list.hidden));
    return count > 0 && button;
  }

  /** @param {Sheet} sheet @param {number} count @param {HTMLElement | false} fold @param {(() => unknown) | null} other */
  #head({ id, name }, count, fold, other) {
    const button = (/** @type {string} */ words, /** @type {() => unknown} */ onclick) =>
      h("button.quiet.small", { type: "button", onclick }, words);
    const words = count ? `${name}: ${plural(count, "line")} with warnings` : `${name} imported`;
    return h(
      "div.script-note",
      {},
      icon(count ? "warn" : "check"),
      h("p", {}, words),
      fold,
      count > 0 && button("Show only these lines", () => setFilter({ ...ALL, noted: true })),
      other && button("Change encoding", other),
      button("Dismiss", () => dropImportNotes(id)),
    );
  }

  /** @param {string[]} ofFile @param {[string, LineNote[]][]} noted */
  #list(ofFile, noted) {
    const lines = noted.slice(0, SHOWN).map(([key, notes]) => this.#line(key, notes));
    const more = noted.length - SHOWN;
    return h(
      "ul.import-warnings",
      {},
      ...ofFile.map((words) => h("li", {}, words)),
      ...lines,
      more > 0 && h("li.hint", {}, `and ${plural(more, "more line")}`),
    );
  }

  /** One warning for a line, which leads to the first cell that it is about. @param {string} key @param {LineNote[]} notes */
  #line(key, notes) {
    const line = desk.lines.get(key);
    const name = (line && (cellOf(line, roles(), "id") || cellOf(line, roles(), "text"))) || "Empty line";
    const words = notes.map(({ label }) => label).join(", ");
    const title = notes.map(({ text }) => text).join(" ");
    const onclick = () => this.#show(key, notes[0].role);
    return h(
      "li",
      {},
      h(
        "button.import-warning",
        { type: "button", title, onclick },
        h("b", {}, name.slice(0, 60)),
        h("span", {}, words),
      ),
    );
  }

  /** @param {string} key @param {Role} role */
  #show(key, role) {
    if (!view.places.has(key)) setFilter(ALL);
    const column = this.grid.columns.findIndex(({ name }) => name === role);
    moveTo(key, column < 0 ? undefined : column);
    this.grid.reveal();
  }
}
