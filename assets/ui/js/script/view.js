/** Which lines show, where the cursor is, what is chosen, and which take of each line. */
import { changed, follow } from "../core/bus.js";
import { STATE } from "../core/events.js";
import { clamp } from "../core/math.js";
import { loadJson, saveJson } from "../core/storage.js";
import { desk, roles } from "./desk.js";
import { defaultTake } from "./line-takes.js";
import { ALL, arranged } from "./lines.js";

/** @import { Filter, Sort, SortKey } from "./lines.js" */

const BLIND = "studio-script-blind";

export const view = {
  /** Keys, from top to bottom. @type {string[]} */ shown: [],
  /** Of each key in `shown`. @type {Map<string, number>} */ places: new Map(),
  /** @type {Filter} */ filter: ALL,
  /** @type {Sort | null} */ sort: null,
  /** The line that the cursor is on. @type {string | null} */ line: null,
  column: 1, // of the grid
  columns: 1, // how many it has
  /** Where the selection began. @type {string | null} */ anchor: null,
  /** @type {Set<string>} */ selected: new Set(),
  blind: Boolean(loadJson(BLIND, false)),
};

/** Which take was chosen, by line. @type {Map<string, string>} */
const chosen = new Map();
let sheet = "";
let present = 0; // lines that are not deleted

/**
 * Which lines show is decided when it is asked for, not while one works: what is edited or made stays under the hand.
 */
function rearrange() {
  const { filter, sort } = view;
  view.shown = arranged(desk.lines.values(), { filter, sort, roles: roles() });
  view.places = new Map(view.shown.map((key, place) => [key, place]));
  for (const key of view.selected) if (!view.places.has(key)) view.selected.delete(key);
  if (!view.places.has(view.line ?? "")) view.line = view.shown[0] ?? null;
}

follow(STATE.lines, () => {
  const other = (desk.sheet?.id ?? "") !== sheet;
  if (other) Object.assign(view, { filter: ALL, sort: null, line: null, column: 1, anchor: null, selected: new Set() });
  sheet = desk.sheet?.id ?? "";
  let count = 0;
  for (const { deleted } of desk.lines.values()) count += deleted ? 0 : 1;
  if (other || count !== present) keepPlace(rearrange);
  present = count;
  changed(STATE.view);
});

/** Where the cursor's line goes, the one that takes its place has it. @param {() => void} rearrange */
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
}

export function isFiltered() {
  return JSON.stringify(view.filter) !== JSON.stringify(ALL);
}

/** Up, down, as in the sheet. @param {SortKey} by */
export function toggleSort(by) {
  if (view.sort?.by !== by) view.sort = { by, down: false };
  else view.sort = view.sort.down ? null : { by, down: true };
  rearrange();
  changed(STATE.view);
}

export function current() {
  return desk.lines.get(view.line ?? "") ?? null;
}

/** The lines that a command is for: the selection, or else the cursor's. */
export function targets() {
  if (view.selected.size) return view.shown.filter((key) => view.selected.has(key));
  return view.line ? [view.line] : [];
}

/** @typedef {{extend?: boolean, toggle?: boolean}} How */

/** Put the cursor somewhere. @param {string | null} line @param {number} column @param {How} how */
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

/** Put the cursor on a line and leave the selection as it is. @param {string} line */
export function putCursor(line) {
  view.line = line;
  changed(STATE.view);
}

/** @param {string} from @param {string} to */
function between(from, to) {
  const [one, other] = [view.places.get(from) ?? 0, view.places.get(to) ?? 0];
  return view.shown.slice(Math.min(one, other), Math.max(one, other) + 1);
}

/** @param {number} down  lines @param {number} right  columns @param {How} how */
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

/** The take that is played, marked and shown first. @param {ScriptLine} line @returns {LineTake | null} */
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
