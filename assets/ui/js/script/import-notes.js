/**
 * Notes on a sheet after its import: notes on its file, and a warning for each affected line, which jumps to its row.
 */
import { follow } from "../core/bus.js";
import { h, icon } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { plural } from "../core/format.js";
import { dropImportNotes, importNotes, otherEncoding } from "./arrivals.js";
import { notedLines } from "./line-notes.js";
import { ALL, cellOf } from "./lines.js";
import { closeByEscape } from "./notices.js";
import { roles, scriptState } from "./state.js";
import { moveTo, setFilter, view } from "./view.js";

/** @import { Grid } from "./grid.js" */

const SHOWN = 50; // warnings in the list; the filter shows all lines

export class ImportNotes {
  /** @param {Grid} grid */
  constructor(grid) {
    this.grid = grid;
    this.drawn = "";
    /** Whether the list is open, by sheet. @type {Map<string, boolean>} */ this.unfolded = new Map();
    this.element = h("section.import-notes", { "aria-label": "Import notes", hidden: true });
    this.list = h("ul.import-warnings", { "aria-label": "Import warnings", hidden: true });
    /** Dismissed notes and warnings, by sheet. @type {Map<string, Set<string>>} */ this.dismissed = new Map();
    closeByEscape(
      () => !this.list.hidden,
      () => this.close(),
    );
    follow([STATE.script, STATE.lines], () => this.#draw());
  }

  /** Close the list. */
  close() {
    if (!this.list.hidden) /** @type {HTMLElement | null} */ (this.element.querySelector(".fold"))?.click();
  }

  #draw() {
    const { sheet } = scriptState;
    const ofFile = importNotes(sheet?.id);
    const noted = sheet && ofFile ? [...notedLines()] : [];
    const other = sheet ? otherEncoding(sheet.id) : null;
    const drawn = JSON.stringify([sheet?.id, ofFile, noted, Boolean(other)]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const items = itemsOf(ofFile ?? [], noted);
    const known = this.dismissed.get(sheet?.id ?? "") ?? new Set();
    this.element.hidden = !sheet || !ofFile || !(items.some((item) => !known.has(item)) || (other && !known.size));
    this.list.hidden = true;
    if (this.element.hidden || !sheet) return;
    const focused = this.element.contains(document.activeElement) ? document.activeElement?.textContent : null;
    this.#drawList(ofFile ?? [], noted);
    const fold = this.#fold(sheet.id);
    const dismiss = () => {
      this.dismissed.set(sheet.id, new Set(items));
      dropImportNotes(sheet.id);
    };
    this.element.replaceChildren(this.#head(sheet.name, noted.length, { fold, other, dismiss }));
    if (focused) [...this.element.querySelectorAll("button")].find((one) => one.textContent === focused)?.focus();
  }

  /**
   * Return the button that opens and closes the list. At first, the list is open only if it has one item.
   * @param {string} sheet
   */
  #fold(sheet) {
    const { list } = this;
    const count = list.children.length;
    list.hidden = !count || !(this.unfolded.get(sheet) ?? count < 2);
    const onclick = () => {
      list.hidden = !list.hidden;
      this.unfolded.set(sheet, !list.hidden);
      button.setAttribute("aria-expanded", String(!list.hidden));
    };
    const button = h("button.quiet.small.fold", { type: "button", onclick }, "Details");
    button.setAttribute("aria-expanded", String(!list.hidden));
    return count > 0 && button;
  }

  /**
   * @param {string} name @param {number} count
   * @param {{fold: HTMLElement | false, other: (() => unknown) | null, dismiss: () => void}} acts
   */
  #head(name, count, { fold, other, dismiss }) {
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
      button("Dismiss", dismiss),
    );
  }

  /** @param {string[]} ofFile @param {[string, LineNote[]][]} noted */
  #drawList(ofFile, noted) {
    const lines = noted.slice(0, SHOWN).map(([key, notes]) => this.#line(key, notes));
    const more = noted.length - SHOWN;
    const rest = more > 0 ? [h("li.hint", {}, `and ${plural(more, "more line")}`)] : [];
    this.list.replaceChildren(...ofFile.map((words) => h("li", {}, words)), ...lines, ...rest);
  }

  /**
   * Return the warning of a line. A click jumps to the first affected cell.
   * @param {string} key @param {LineNote[]} notes
   */
  #line(key, notes) {
    const line = scriptState.lines.get(key);
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

/** Return a string for each note on the file and each warning. @param {string[]} ofFile @param {[string, LineNote[]][]} noted */
function itemsOf(ofFile, noted) {
  return [...ofFile, ...noted.flatMap(([key, notes]) => notes.map(({ text }) => JSON.stringify([key, text])))];
}
