/** The list of takes, newest first, with the running generation on top. */
import { follow } from "../core/bus.js";
import { h, icon } from "../core/dom.js";
import { STATE } from "../core/events.js";
import * as fields from "../core/fields.js";
import { clamp } from "../core/math.js";
import { select, state } from "../core/state.js";
import { EVERYTHING, filter, setFilter, shownTakes } from "./filter.js";
import { noneWords } from "./fits.js";
import { TakeRow } from "./row.js";
import { keepChosen, press } from "./selection.js";
import { SynthesisRow } from "./synthesis-row.js";
import { actions, finder, search } from "./tools.js";

/** @type {Map<string, TakeRow>} */
const rows = new Map();
/** @type {Take[]} */
let shown = [];
/** @type {ReturnType<typeof createParts>} */
let parts;

/** @param {HTMLElement} element */
export function mount(element) {
  parts = createParts();
  const { count, find, menus, none, making, list } = parts;
  element.append(
    h(
      "section.takes",
      { "aria-labelledby": "takes-title" },
      h("div.panel-head", {}, h("h2", { id: "takes-title" }, "Takes ", count), find, menus),
      none,
      making.element,
      list,
    ),
  );
  follow([STATE.takes, STATE.synthesis, STATE.filter, STATE.clips, STATE.champions], draw);
  /** @param {(row: TakeRow) => void} act */
  const each = (act) => {
    for (const row of rows.values()) act(row);
  };
  follow([STATE.selected, STATE.tray], () => each((row) => row.mark()));
  let told = false; // whether the titles of the engines are known, which the search uses
  follow(STATE.telemetry, () => {
    each((row) => row.drawEngine());
    if (told || !state.telemetry) return;
    told = true;
    draw();
  });
  follow(STATE.player, () => each((row) => row.drawPlayer()));
  follow(STATE.playhead, () => each((row) => row.drawPlayhead()));
}

function createParts() {
  return {
    count: h("span.count"),
    find: finder(),
    menus: actions({ hidden: true }), // draw() moves the focus if the menus disappear
    none: h("div.empty"),
    making: new SynthesisRow(),
    list: h("ol.take-list", { "aria-label": "Takes, newest first" }),
  };
}

function draw() {
  const { count, find, menus, none } = parts;
  const before = shown;
  const all = state.takes.length;
  const unfocused = !menus.hidden && document.activeElement === document.body; // a click leaves the focus on the body
  const focused = unfocused || menus.contains(document.activeElement);
  shown = shownTakes();
  keepChosen();
  drawRows();
  count.textContent = shown.length < all ? `${shown.length} of ${all}` : String(all || "");
  find.hidden = !all;
  menus.hidden = !shown.length;
  none.hidden = shown.length > 0 || Boolean(state.synthesis);
  if (!none.hidden) none.replaceChildren(...(all ? nothingFound() : nothingMade()));
  if (focused && menus.hidden) none.querySelector("button")?.focus();
  if (state.selected && !shown.some(({ id }) => id === state.selected)) {
    const place = before.findIndex(({ id }) => id === state.selected);
    select(shown[clamp(place, 0, shown.length - 1)]?.id ?? null);
  }
}

function nothingMade() {
  return [
    h("p", {}, "No takes yet. Type a line and press Speak."),
    h("button.quiet", { type: "button", onclick: () => fields.input("script").focus() }, icon("words"), "Type a line"),
  ];
}

function nothingFound() {
  const onclick = () => {
    setFilter(EVERYTHING);
    search.focus();
  };
  return [h("p", {}, noneWords(filter)), h("button.quiet", { type: "button", onclick }, "Show all takes")];
}

/** Update the rows. Rows that stay keep focus and playback position. */
function drawRows() {
  const { list } = parts;
  const [present, wanted] = [state.takes, shown].map((takes) => new Set(takes.map(({ id }) => id)));
  for (const [id, row] of rows) {
    if (!wanted.has(id)) row.element.remove();
    if (!present.has(id)) {
      rows.get(id)?.marks.remove();
      rows.delete(id);
    }
  }
  shown.forEach((take, place) => {
    const row = rows.get(take.id) ?? new TakeRow(take);
    rows.set(take.id, row);
    row.update(take);
    if (list.children[place] !== row.element) list.insertBefore(row.element, list.children[place] ?? null);
  });
}

/**
 * Select the next or previous shown take.
 * @param {number} by @param {boolean} extend  whether to extend the ticked range
 */
export function step(by, extend = false) {
  const now = shown.findIndex((take) => take.id === state.selected);
  const next = shown[now < 0 ? 0 : clamp(now + by, 0, shown.length - 1)];
  if (!next) return;
  if (extend) press(next.id, { shiftKey: true, ctrlKey: false, metaKey: false });
  else select(next.id);
  const element = rows.get(next.id)?.element;
  element?.scrollIntoView({ block: "nearest" });
  element?.focus({ preventScroll: true });
}

export function selectedRow() {
  return rows.get(state.selected ?? "") ?? null;
}
