/** A row of the grid. It is redrawn only if its data changed. After it scrolls out of view, another line uses it. */
import * as player from "../audio/player.js";
import { directionChip, partsOf } from "../core/directions.js";
import { h, icon } from "../core/dom.js";
import { seconds } from "../core/format.js";
import { badge } from "./line-notes.js";
import { BARS, barsOf, digitOf } from "./line-takes.js";
import { isBeingMade } from "./state.js";
import { statusOf } from "./status.js";
import { takeOfLine, view } from "./view.js";

/** @import { Column } from "./columns.js" */

const SVG = `<svg class="bars" viewBox="0 0 ${3 * BARS} 24" preserveAspectRatio="none" aria-hidden="true"><path/></svg>`;

export class Row {
  /** @param {Column[]} columns */
  constructor(columns) {
    this.columns = columns;
    this.key = "";
    this.place = -1;
    this.top = -1; // pixels
    /** @type {unknown[]} */ this.drawn = []; // data that the cells show
    this.cells = columns.map((column, at) =>
      h(`div.cell.c-${column.name}`, { role: "gridcell", tabindex: "-1", "aria-colindex": at + 1, "data-column": at }),
    );
    this.element = h("div.line-row", { role: "row" }, ...this.cells);
    this.fillers = columns.map((column, at) => filler(column, this.cells[at]));
  }

  /** @param {string} key @param {ScriptLine} line @param {number} place @param {number} top  in pixels */
  show(key, line, place, top) {
    if (this.key !== key) Object.assign(this.element.dataset, { key });
    if (this.element.hidden) this.element.hidden = false;
    this.key = key;
    if (this.place !== place) this.element.setAttribute("aria-rowindex", String(place + 2));
    this.place = place;
    if (this.top !== top) this.element.style.transform = `translateY(${top}px)`;
    this.top = top;
    const take = takeOfLine(line);
    const now = [line, take?.id, take?.mark, view.blind, line.takes.length, isBeingMade(key)];
    if (now.some((value, at) => value !== this.drawn[at])) for (const fill of this.fillers) fill(line, take);
    this.drawn = now;
    this.element.classList.toggle("sounds", take !== null && player.playing() === take.id);
    this.#mark();
  }

  /** Detach the row from its line, so that it is neither shown nor read by screen readers. */
  release() {
    Object.assign(this, { key: "", place: -1, top: -1 });
    this.element.removeAttribute("aria-rowindex");
    this.element.classList.remove("current");
    delete this.element.dataset.key;
    for (const cell of this.cells) cell.tabIndex = -1;
  }

  #mark() {
    const { element, key, cells } = this;
    const selected = view.selected.has(key);
    const isCurrent = view.line === key;
    if (element.getAttribute("aria-selected") !== String(selected))
      element.setAttribute("aria-selected", String(selected));
    element.classList.toggle("current", isCurrent);
    cells.forEach((cell, at) => {
      const tab = isCurrent && view.column === at ? 0 : -1;
      if (cell.tabIndex !== tab) cell.tabIndex = tab;
    });
  }

  /** Show the playback position of the take. @param {number} share */
  drawPlayhead(share) {
    this.element.style.setProperty("--played", `${(100 * share).toFixed(1)}%`);
  }
}

/**
 * Return a function that draws a line into a cell.
 * @param {Column} column @param {HTMLElement} cell @returns {(line: ScriptLine, take: LineTake | null) => void}
 */
function filler(column, cell) {
  if (column.kind === "tick") return tick(cell);
  if (column.kind === "take") return takeCell(cell);
  if (column.kind === "length") return lengthCell(cell);
  if (column.kind === "status") return statusCell(cell);
  return writtenCell(column, cell);
}

/**
 * Return a function for a cell of the sheet. Badges come before the text, so that long text does not hide them. Stage
 * directions are chips.
 * @param {Column} column @param {HTMLElement} cell
 */
function writtenCell({ by, name }, cell) {
  const at = /** @type {number} */ (by);
  let shown = "";
  return (/** @type {ScriptLine} */ { cells, directions, notes = [] }) => {
    const badges = notes.filter(({ role }) => (role === "id" ? "id" : "text") === name);
    const chips = name === "text" ? directions : [];
    const now = JSON.stringify([cells[at], chips, badges]);
    if (now === shown) return;
    shown = now;
    const parts = partsOf(cells[at], chips);
    const texts = parts.map(({ text, direction }) => (direction ? directionChip(text) : text));
    cell.replaceChildren(...badges.map(badge), ...texts);
  };
}

/** @param {HTMLElement} cell */
function tick(cell) {
  cell.append(h("i.tick", { "aria-hidden": "true" }));
  cell.setAttribute("aria-readonly", "true");
  return (/** @type {ScriptLine} */ line) => {
    const name = line.cells.find(Boolean) ?? "empty line";
    cell.setAttribute("aria-label", `Tick ${name.slice(0, 60)}`);
  };
}

/** @param {HTMLElement} cell */
function takeCell(cell) {
  const sign = h("span.play-sign", { "aria-hidden": "true" }, icon("play"), icon("pause"));
  const wave = h("span.bars-holder");
  wave.innerHTML = SVG + SVG;
  const paths = wave.querySelectorAll("path");
  const count = h("span.take-count", { "aria-hidden": "true" });
  const said = h("span.sr-only");
  cell.append(sign, wave, count, said);
  cell.setAttribute("aria-readonly", "true");
  return (/** @type {ScriptLine} */ line, /** @type {LineTake | null} */ take) => {
    cell.classList.toggle("none", !take);
    for (const path of paths) path.setAttribute("d", take ? barsOf(take.peaks) : "");
    const number = take ? digitOf(line, take, view.blind) : 0;
    count.textContent = take ? `${number}/${line.takes.length}` : "";
    said.textContent = take ? `Take ${number} of ${line.takes.length}` : "No take";
  };
}

/** @param {HTMLElement} cell */
function lengthCell(cell) {
  cell.setAttribute("aria-readonly", "true");
  return (/** @type {ScriptLine} */ line, /** @type {LineTake | null} */ take) => {
    const guess = !take && line.estimate_s;
    cell.textContent = take ? seconds(take.length_s) : guess ? `~${seconds(guess)}` : "";
    cell.classList.toggle("guess", Boolean(guess));
  };
}

/** @param {HTMLElement} cell */
function statusCell(cell) {
  const words = h("span.status-words");
  const saving = h("span.saving", {}, "saving…");
  const fault = h("span.status-fault", {});
  let shown = "";
  cell.setAttribute("aria-readonly", "true");
  return (/** @type {ScriptLine} */ line, /** @type {LineTake | null} */ take) => {
    const { state, words: said, sign, title, warning } = statusOf(line, take, view.blind, isBeingMade(line.key));
    words.textContent = said;
    cell.title = title;
    cell.dataset.state = state;
    if (shown !== sign || !cell.firstChild) cell.replaceChildren(sign ? icon(sign) : h("i.open-sign"), words);
    if (warning && fault.textContent !== warning)
      fault.replaceChildren(icon("fail"), h("span.status-words", {}, warning));
    if (warning) words.after(fault);
    else fault.remove();
    if (line.unsaved) cell.append(saving);
    else saving.remove();
    shown = sign;
  };
}
