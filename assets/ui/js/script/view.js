/** The view of the sheet: shown lines, cursor, ticked lines, and the chosen take of each line. */
import { changed, emit, follow } from "../core/bus.js";
import { EVENT, STATE } from "../core/events.js";
import { clamp } from "../core/math.js";
import { loadJson, saveJson } from "../core/storage.js";
import { defaultTake } from "./line-takes.js";
import { ALL, arranged } from "./lines.js";
import { roles, scriptState } from "./state.js";

/** @import { Filter, Sort, SortKey } from "./lines.js" */

const BLIND = "studio-script-blind";
const LINES = "studio-script-lines"; // storage key of the current line of each sheet
const KEPT = 50; // sheets

export const view = {
  /** Keys of the shown lines, from top to bottom. @type {string[]} */ shown: [],
  /** The index in `shown` by key. @type {Map<string, number>} */ places: new Map(),
  /** @type {Filter} */ filter: ALL,
  /** @type {Sort | null} */ sort: null,
  /** The line that the cursor is on. @type {string | null} */ line: null,
  column: 1, // index of the cursor's column in the grid
  columns: 1, // number of columns of the grid
  /** The line from which Shift extends the ticked lines. @type {string | null} */ anchor: null,
  /** @type {Set<string>} */ selected: new Set(),
  blind: Boolean(loadJson(BLIND, false)),
};

/** The id of the chosen take by line. @type {Map<string, string>} */
const chosen = new Map();
let sheet = "";
let present = 0; // lines that are not deleted

/**
 * Decide which lines are shown. This happens only on request, so that a line that is edited or rendered stays in place.
 */
function rearrange() {
  const { filter, sort } = view;
  view.shown = arranged(scriptState.lines.values(), { filter, sort, roles: roles() });
  view.places = new Map(view.shown.map((key, place) => [key, place]));
  for (const key of view.selected) if (!view.places.has(key)) view.selected.delete(key);
  if (!view.places.has(view.line ?? "")) view.line = view.shown[0] ?? null;
}

follow(STATE.lines, () => {
  const other = (scriptState.sheet?.id ?? "") !== sheet;
  sheet = scriptState.sheet?.id ?? "";
  if (other) {
    const line = keptLine();
    Object.assign(view, { filter: ALL, sort: null, line, column: 1, anchor: null, selected: new Set() });
    if (line) requestAnimationFrame(() => emit(EVENT.showLine, { focus: false })); // after the grid is drawn
  }
  let count = 0;
  for (const { deleted } of scriptState.lines.values()) count += deleted ? 0 : 1;
  if (other || count !== present) keepPlace(rearrange);
  present = count;
  changed(STATE.view);
});

follow(STATE.view, () => {
  const kept = keptLines();
  if (!sheet || !view.line || (kept[0]?.[0] === sheet && kept[0][1] === view.line)) return;
  saveJson(LINES, [[sheet, view.line], ...kept.filter(([id]) => id !== sheet)].slice(0, KEPT));
});

/** Return the line that was current when this sheet was last open, if it still exists. */
function keptLine() {
  const key = keptLines().find(([id]) => id === sheet)?.[1] ?? "";
  return scriptState.lines.get(key)?.deleted === false ? key : null;
}

/** Return sheets with their current lines, the last one first. @returns {[string, string][]} */
function keptLines() {
  return loadJson(LINES, []);
}

/**
 * Rearrange the lines. If the cursor's line disappears, the cursor moves to the line that follows.
 * @param {() => void} rearrange
 */
function keepPlace(rearrange) {
  const { line, shown, places } = view;
  const at = places.get(line ?? "") ?? 0;
  rearrange();
  if (!line || view.places.has(line)) return;
  const next = shown.slice(at).find((key) => view.places.has(key));
  view.line = next ?? view.shown.at(-1) ?? null;
}

/** @param {Partial<Filter>} filter */
export function setFilter(filter) {
  view.filter = { ...view.filter, ...filter };
  rearrange();
  changed(STATE.view);
  emit(EVENT.showLine, { focus: false });
}

export function isFiltered() {
  return JSON.stringify(view.filter) !== JSON.stringify(ALL);
}

/** Sort ascending, then descending, then in the sheet's order. @param {SortKey} by */
export function toggleSort(by) {
  if (view.sort?.by !== by) view.sort = { by, down: false };
  else view.sort = view.sort.down ? null : { by, down: true };
  rearrange();
  changed(STATE.view);
  emit(EVENT.showLine, { focus: false });
}

export function current() {
  return scriptState.lines.get(view.line ?? "") ?? null;
}

/** Return the lines for an action: the ticked lines, or else the cursor's line. */
export function targets() {
  if (view.selected.size) return view.shown.filter((key) => view.selected.has(key));
  return view.line ? [view.line] : [];
}

/** @typedef {{extend?: boolean, toggle?: boolean}} How */

/** Move the cursor to a line and column. @param {string | null} line @param {number} column @param {How} how */
export function moveTo(line, column = view.column, { extend = false, toggle = false } = {}) {
  if (!line) return;
  if (extend) {
    view.anchor ??= view.line;
    view.selected = new Set(between(view.anchor ?? line, line));
  } else {
    if (!toggle) view.selected = new Set();
    else if (view.selected.has(line)) view.selected.delete(line);
    else view.selected.add(line);
    view.anchor = line;
  }
  Object.assign(view, { line, column: clamp(column, 0, view.columns - 1) });
  changed(STATE.view);
}

/** Move the cursor to a line without a change of the ticked lines. @param {string} line */
export function putCursor(line) {
  view.line = line;
  changed(STATE.view);
}

/** @param {string} from @param {string} to */
function between(from, to) {
  const [one, other] = [view.places.get(from) ?? 0, view.places.get(to) ?? 0];
  return view.shown.slice(Math.min(one, other), Math.max(one, other) + 1);
}

/** @param {number} down  number of lines @param {number} right  number of columns @param {How} how */
export function step(down, right = 0, how = {}) {
  const place = view.places.get(view.line ?? "") ?? 0;
  const next = view.shown[clamp(place + down, 0, view.shown.length - 1)];
  moveTo(next ?? null, view.column + right, how);
}

/** @param {boolean} all */
export function selectAll(all = true) {
  view.selected = new Set(all ? view.shown : []);
  view.anchor = view.line;
  changed(STATE.view);
}

/**
 * Return the current take of a line: the chosen one, or else the default.
 * @param {ScriptLine} line @returns {LineTake | null}
 */
export function takeOfLine(line) {
  return line.takes.find(({ id }) => id === chosen.get(line.key)) ?? defaultTake(line);
}

/** @param {ScriptLine} line @param {LineTake} take */
export function chooseTake(line, take) {
  chosen.set(line.key, take.id);
  changed(STATE.view);
}

export function toggleBlind() {
  view.blind = !view.blind;
  saveJson(BLIND, view.blind);
  changed(STATE.view);
}
