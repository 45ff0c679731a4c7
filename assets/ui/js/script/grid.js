/** The lines of a sheet as a grid. Only the visible rows are in the document. */
import * as player from "../audio/player.js";
import { follow, on } from "../core/bus.js";
import { h, icon } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import { oncePerFrame } from "../core/timing.js";
import { columnEdge, columnWidths } from "./column-widths.js";
import { columnsOf, tracks } from "./columns.js";
import { Row } from "./row.js";
import { scriptState } from "./state.js";
import { selectAll, takeOfLine, toggleSort, view } from "./view.js";

/** @import { Column } from "./columns.js" */

const ROW_PX = 44;
const CARD_PX = 132; // row height on a phone
const SPARE = 6; // rows drawn above and below the visible ones
const phone = matchMedia("(max-width: 760px)");

export class Grid {
  /** @param {{add: () => void}} acts */
  constructor({ add }) {
    /** @type {Column[]} */ this.columns = [];
    /** Rows by line key. @type {Map<string, Row>} */ this.rows = new Map();
    /** @type {Row[]} */ this.free = [];
    this.height = 0;
    this.layoutOf = "";
    this.head = h(
      "div.line-row.head",
      { role: "row", "aria-rowindex": "1" },
      h("div", { role: "columnheader" }, "Lines"),
    ); // a row must contain a cell
    this.body = h("div.grid-body", { role: "rowgroup" });
    const more = h("button.quiet.add-line", { type: "button", onclick: add }, "Add line");
    this.foot = h(
      "div.grid-foot",
      { role: "rowgroup" },
      h("div", { role: "row" }, h("div", { role: "gridcell" }, more)),
    );
    this.element = h(
      "div.line-grid",
      { role: "grid", "aria-multiselectable": "true", "aria-label": "Lines" },
      h("div.grid-head", { role: "rowgroup" }, this.head),
      this.body,
      this.foot,
    );
    this.soon = oncePerFrame(() => this.draw());
    this.element.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(([{ contentRect }]) => {
      this.height = contentRect.height;
      this.draw();
    }).observe(this.element);
    phone.addEventListener("change", this.soon);
    follow([STATE.view, STATE.lines, STATE.player, STATE.render], this.soon);
    follow(STATE.playhead, () => this.#drawPlayhead());
    on(EVENT.showLine, ({ focus }) => this.reveal(focus || this.body.contains(document.activeElement)));
  }

  /**
   * Draw the columns of another sheet or changed columns.
   * @param {string} layout  JSON of the data that the columns depend on
   */
  layOut(layout) {
    this.layoutOf = layout;
    this.columns = scriptState.sheet ? columnsOf(scriptState.sheet) : [];
    this.#drawTracks();
    this.element.setAttribute("aria-colcount", String(this.columns.length));
    view.columns = this.columns.length;
    this.rows.clear();
    this.free = [];
    this.body.replaceChildren();
    this.heads = this.columns.map((column, at) => this.#headCell(column, at));
    this.head.replaceChildren(...this.heads);
    this.draw();
  }

  #drawTracks() {
    const { template, least } = tracks(this.columns, columnWidths());
    this.element.style.setProperty("--tracks", template);
    this.element.style.setProperty("--least", least);
  }

  /** @param {Column} column @param {number} at */
  #headCell(column, at) {
    const { name, title, by } = column;
    const sort = by ?? null;
    const button =
      sort === null
        ? h(
            "button.head-button",
            { type: "button", "aria-label": "Tick all visible lines", onclick: toggleAll },
            h("i.tick"),
          )
        : h("button.head-button", { type: "button", title, onclick: () => toggleSort(sort) }, h("span", {}, title));
    const edge = sort !== null && columnEdge(column, () => this.#drawTracks());
    return h(`div.cell.c-${name}`, { role: "columnheader", "aria-colindex": at + 1 }, button, edge);
  }

  draw() {
    const pitch = phone.matches ? CARD_PX : ROW_PX;
    const { shown } = view;
    this.element.setAttribute("aria-rowcount", String(shown.length + 1));
    this.foot.hidden = !shown.length; // an empty sheet has its own Add button
    this.body.style.height = `${shown.length * pitch}px`;
    const top = this.element.scrollTop;
    const first = Math.max(0, Math.floor(top / pitch) - SPARE);
    const last = Math.min(shown.length - 1, Math.ceil((top + this.height) / pitch) + SPARE);
    const wanted = new Set(shown.slice(first, last + 1));
    if (view.line && view.places.has(view.line)) wanted.add(view.line); // the line may have the focus
    for (const [key, row] of this.rows) if (!wanted.has(key)) this.#release(key, row);
    for (const key of wanted) this.#show(key, pitch);
    for (const row of this.free) row.element.hidden = true;
    this.#drawHead();
    this.#drawPlayhead();
  }

  /** @param {string} key @param {Row} row */
  #release(key, row) {
    this.rows.delete(key);
    row.release();
    this.free.push(row);
  }

  /** @param {string} key @param {number} pitch */
  #show(key, pitch) {
    const line = scriptState.lines.get(key);
    const place = view.places.get(key);
    if (!line || place === undefined) return;
    const row = this.rows.get(key) ?? this.free.pop() ?? new Row(this.columns);
    this.rows.set(key, row);
    row.show(key, line, place, place * pitch);
    if (!row.element.isConnected) this.body.append(row.element);
  }

  #drawHead() {
    const all = view.shown.length > 0 && view.selected.size === view.shown.length;
    this.element.classList.toggle("all", all);
    this.heads?.forEach((cell, at) => {
      const { by } = this.columns[at];
      const sorted = by !== null && view.sort?.by === by ? (view.sort.down ? "descending" : "ascending") : "none";
      if (by === null || cell.getAttribute("aria-sort") === sorted) return;
      cell.setAttribute("aria-sort", sorted);
      const button = /** @type {HTMLElement} */ (cell.firstChild);
      button.querySelector(".icon")?.remove();
      if (sorted !== "none") button.append(icon("down"));
    });
  }

  #drawPlayhead() {
    const sounding = player.playing();
    if (!sounding) return;
    for (const row of this.rows.values()) {
      const line = scriptState.lines.get(row.key);
      const take = line && takeOfLine(line);
      if (take?.id === sounding) row.drawPlayhead(player.positionOf(sounding) / take.duration_s);
    }
  }

  /** Scroll to the cursor's line, and focus its cell. @param {boolean} focus */
  reveal(focus = true) {
    const place = view.places.get(view.line ?? "");
    if (place === undefined) return;
    const pitch = phone.matches ? CARD_PX : ROW_PX;
    const head = phone.matches ? 0 : this.head.offsetHeight;
    const [top, bottom] = [place * pitch, (place + 1) * pitch];
    const { element } = this;
    const height = element.clientHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom + head > element.scrollTop + height) element.scrollTop = bottom + head - height;
    this.draw();
    if (focus) this.cell()?.focus({ preventScroll: true });
    this.cell()?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Return the cell under the cursor. */
  cell() {
    return this.rows.get(view.line ?? "")?.cells[view.column] ?? null;
  }

  /** Return the number of rows for Page Up and Page Down. */
  get page() {
    return Math.max(1, Math.floor(this.height / ROW_PX) - 2);
  }
}

function toggleAll() {
  selectAll(view.selected.size < view.shown.length);
}
