/** The list of lines in an update: filters, drawing in portions, and choices by key or click. */
import { announce, h } from "../core/dom.js";
import { plural } from "../core/format.js";
import { clamp } from "../core/math.js";
import { updateLine } from "./update-line.js";

/** @import { UpdateLine } from "./update-line.js" */

const PORTION = 60; // lines that are drawn at a time
const PAGE = 8; // lines that Page Up and Page Down move
/** Sort order: the kinds that need a decision come first. @type {DifferenceKind[]} */
const ORDER = ["both", "studio", "file", "removed", "added", "moved"];
/** @type {Record<DifferenceKind, string>} */
const FILTERS = {
  both: "Changed in both",
  studio: "Edited in the studio",
  file: "Changed in the file",
  removed: "Not in the file",
  added: "New",
  moved: "Moved",
};

export class UpdateList {
  /** @param {SheetComparison} comparison @param {() => void} changed */
  constructor({ lines, counts }, changed) {
    this.lines = [...lines].sort((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind));
    this.changed = changed;
    /** Keys of the lines whose edits are kept. @type {Set<string>} */
    this.kept = new Set(lines.filter(({ kept }) => kept).map(({ key }) => key));
    /** @type {LineDifference[]} */ this.shown = [];
    /** @type {UpdateLine[]} */ this.drawn = [];
    this.at = 0; // index of the line with the keyboard focus
    this.list = h("ul.update-list", { "aria-label": "Changes" });
    this.list.addEventListener("keydown", (event) => this.#key(event));
    this.list.addEventListener("focusin", (event) => this.#focused(/** @type {Node} */ (event.target)));
    this.list.addEventListener("scroll", () => this.#fill(), { passive: true });
    this.filters = h("div.update-filters", { role: "group", "aria-label": "Show" }, ...this.#buttons(counts));
    this.all = h(
      "div.update-all",
      {},
      h("button.quiet.small", { type: "button", onclick: () => this.#chooseAll(true) }, "Keep all my edits"),
      h("button.quiet.small", { type: "button", onclick: () => this.#chooseAll(false) }, "Use file for all lines"),
    );
    this.all.hidden = !lines.some(({ keepable }) => keepable);
    this.show(counts.both ? "both" : null, false);
  }

  /** @param {SheetComparison["counts"]} counts */
  #buttons(counts) {
    const button = (
      /** @type {DifferenceKind | null} */ kind,
      /** @type {string} */ words,
      /** @type {number} */ count,
    ) =>
      h(
        "button.count-button",
        { type: "button", "data-kind": kind ?? "all", "aria-pressed": "false", onclick: () => this.show(kind) },
        h("b", {}, count.toLocaleString("en")),
        ` ${words}`,
      );
    const some = ORDER.filter((kind) => counts[kind] || kind === "both");
    return [
      button(null, this.lines.length === 1 ? "change" : "changes", this.lines.length),
      ...some.map((kind) => button(kind, FILTERS[kind], counts[kind])),
    ];
  }

  /** Show the lines of one kind, or all lines. @param {DifferenceKind | null} kind @param {boolean} tell */
  show(kind, tell = true) {
    this.shown = this.lines.filter((line) => !kind || line.kind === kind);
    this.drawn = [];
    this.at = 0;
    for (const button of this.filters.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(button.dataset.kind === (kind ?? "all")));
    this.list.replaceChildren();
    this.list.scrollTop = 0;
    this.#draw(PORTION);
    if (!this.shown.length)
      this.list.append(h("li.hint.update-none", {}, kind ? `${FILTERS[kind]}: none.` : "No differences."));
    if (tell) announce(plural(this.shown.length, "line"));
  }

  /** Draw the lines up to a count. @param {number} count */
  #draw(count) {
    const next = this.shown.slice(this.drawn.length, count).map((line) => {
      const one = updateLine(line, this.kept.has(line.key), (kept) => this.#choose(line, kept));
      this.drawn.push(one);
      return one.element;
    });
    this.list.append(...next);
    if (this.drawn[this.at]) this.#stop(this.at);
  }

  /** Draw the next portion before the user scrolls to the end. */
  #fill() {
    const { scrollTop, clientHeight, scrollHeight } = this.list;
    if (scrollTop + 2 * clientHeight > scrollHeight) this.#draw(this.drawn.length + PORTION);
  }

  /** @param {LineDifference} line @param {boolean} kept */
  #choose({ key }, kept) {
    if (kept) this.kept.add(key);
    else this.kept.delete(key);
    this.drawn[this.shown.findIndex((line) => line.key === key)]?.draw(kept);
    this.changed();
  }

  /** @param {boolean} kept */
  #chooseAll(kept) {
    for (const { key, keepable } of this.lines) {
      if (keepable && kept) this.kept.add(key);
      else this.kept.delete(key);
    }
    for (const [at, one] of this.drawn.entries()) one.draw(this.kept.has(this.shown[at].key));
    this.changed();
    announce(kept ? "All your edits are kept." : "The file is used for all lines.");
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const to = {
      ArrowDown: this.at + 1,
      ArrowUp: this.at - 1,
      PageDown: this.at + PAGE,
      PageUp: this.at - PAGE,
      Home: 0,
      End: this.shown.length - 1,
    }[event.key];
    const line = this.shown[this.at];
    const isLine = event.target instanceof HTMLLIElement;
    if (to !== undefined) this.#move(clamp(to, 0, this.shown.length - 1));
    else if (event.key === " " && isLine && line?.keepable) this.#choose(line, !this.kept.has(line.key));
    else return;
    event.preventDefault();
  }

  /** @param {number} at */
  #move(at) {
    this.#draw(at + PORTION / 2);
    this.#stop(at);
    this.drawn[at]?.element.focus();
  }

  /** Make one line and its checkbox the only tab stop. @param {number} at */
  #stop(at) {
    for (const one of [this.at, at]) {
      const tab = one === at ? 0 : -1;
      const { element, box } = this.drawn[one] ?? {};
      if (element) element.tabIndex = tab;
      if (box) box.tabIndex = tab;
    }
    this.at = at;
  }

  /** @param {Node} target */
  #focused(target) {
    const at = this.drawn.findIndex(({ element }) => element.contains(target));
    if (at >= 0 && at !== this.at) this.#stop(at);
  }
}

/** Describe the effect of an update. @param {SheetComparison} comparison @param {Set<string>} kept */
export function summary({ lines }, kept) {
  const count = (/** @type {(line: LineDifference) => boolean} */ has) => lines.filter(has).length;
  const used = (/** @type {LineDifference} */ { key, keepable }) => !(keepable && kept.has(key));
  const changed = count((line) => ["file", "both"].includes(line.kind) && line.in_file && !line.deleted && used(line));
  const replaced = count((line) => line.cells.length > 0 && line.kind === "studio" && used(line));
  const both = count(
    (line) => line.cells.length > 0 && line.kind === "both" && line.in_file && !line.deleted && used(line),
  );
  const part = both ? ` (your edits are replaced in ${both} of them)` : "";
  /** @type {[number, string, string][]} */
  const parts = [
    [changed, `line changed${both ? " (your edits are replaced)" : ""}`, `lines changed${part}`],
    [count(({ kind }) => kind === "added"), "new line", "new lines"],
    [count((line) => !line.in_file && used(line)), "line removed", "lines removed"],
    [count((line) => line.keepable && kept.has(line.key)), "line keeps your edits", "lines keep your edits"],
    [replaced, "line gets the text of the file", "lines get the text of the file"],
  ];
  const said = parts.filter(([number]) => number).map(([number, one, many]) => plural(number, one, many));
  return said.length ? `${said.join(", ")}.` : "No changes.";
}
