/** Lines of a sheet: their cells, filters, sort order and counts. */
import { plural } from "../core/format.js";
import { concern, defaultTake } from "./line-takes.js";

/**
 * @typedef {{words: string, character: string | null, status: string, noted: boolean}} Filter  character null: all;
 *   noted: only lines with notes
 */
/**
 * @typedef {number | "takes" | "length" | "status"} SortKey  the index of a column of the sheet, or a column that the
 *   page adds
 */
/** @typedef {{by: SortKey, down: boolean}} Sort */

export const ROLES = /** @type {const} */ ({
  id: "Line id",
  character: "Character",
  text: "Text",
  emotion: "Emotion or direction",
  filename: "File name",
  scene: "Scene",
  max_s: "Length limit (s)",
  language: "Language",
  notes: "Notes",
});
const FIRST_ID = "L_000"; // an empty sheet continues from this id
/** @type {Filter} */
export const ALL = { words: "", character: null, status: "", noted: false };
/** Sort order of the statuses: the lines that need most work come first. @type {LineStatus[]} */
export const STATUSES = ["failed", "stale", "ready", "retake", "none", "hold", "made", "select", "empty"];

const SUMS = ["all", "due", "due_stale", "due_failed", "unchecked"];

export const CONCERNS = ["faulty", "doubt"];

const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/**
 * Return the trimmed cell of a line in the column of a role.
 * @param {ScriptLine} line @param {Roles} roles @param {Role} role
 */
export function cellOf(line, roles, role) {
  const column = roles[role];
  return column === undefined || column === null ? "" : (line.cells[column] ?? "").trim();
}

/**
 * Name lines in messages: a single line by its id, several by their number.
 * @param {ScriptLine[]} lines @param {Roles} roles
 */
export function nameOf(lines, roles) {
  return (lines.length === 1 && cellOf(lines[0], roles, "id")) || plural(lines.length, "line");
}

/** @param {ScriptLine} line @param {Filter} filter @param {Roles} roles */
export function fits(line, filter, roles) {
  if (line.deleted || (filter.noted && !line.notes?.length)) return false;
  if (filter.character !== null && cellOf(line, roles, "character") !== filter.character) return false;
  if (filter.status && line.status !== filter.status && concernOf(line) !== filter.status) return false;
  const sought = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  if (!sought.length) return true;
  const said = line.cells.join("\n").toLowerCase();
  return sought.every((word) => said.includes(word));
}

/** Return the concern about the line's current take; see `concern`. @param {ScriptLine} line */
function concernOf(line) {
  const take = defaultTake(line);
  return take && !take.stale ? concern(take) : "";
}

/**
 * Return the keys of the lines that match the filter, sorted. Equal lines stay in the sheet's order.
 * @param {Iterable<ScriptLine>} lines @param {{filter: Filter, sort: Sort | null, roles: Roles}} how
 */
export function arranged(lines, { filter, sort, roles }) {
  const shown = [...lines].filter((line) => fits(line, filter, roles));
  if (sort) {
    const order = orderOf(sort.by);
    shown.sort(sort.down ? (one, other) => order(other, one) : order);
  }
  return shown.map(({ key }) => key);
}

/** @param {SortKey} by @returns {(one: ScriptLine, other: ScriptLine) => number} */
function orderOf(by) {
  if (by === "takes") return (one, other) => one.takes.length - other.takes.length;
  if (by === "length") return (one, other) => lengthOf(one) - lengthOf(other);
  if (by === "status") return (one, other) => STATUSES.indexOf(one.status) - STATUSES.indexOf(other.status);
  return (one, other) => words.compare(one.cells[by] ?? "", other.cells[by] ?? "");
}

/** Return the length of the line's delivered file in seconds, or an estimate. @param {ScriptLine} line */
export function lengthOf(line) {
  return defaultTake(line)?.length_s ?? line.estimate_s ?? 0;
}

/**
 * Return the next unused id after the last line's id: A2_0143 gives A2_0144. Empty if the last id does not end in a
 * number.
 * @param {ScriptLine[]} lines @param {number} column
 */
export function nextId(lines, column) {
  const taken = new Set(lines.map(({ cells }) => cells[column]));
  const last = lines.findLast(({ deleted }) => !deleted)?.cells[column] ?? FIRST_ID;
  const [, stem, digits] = /^(.*?)(\d{1,15})$/.exec(last) ?? [];
  if (!digits) return "";
  for (let number = Number(digits) + 1; ; number += 1) {
    const id = stem + String(number).padStart(digits.length, "0");
    if (!taken.has(id)) return id;
  }
}

/**
 * Count the lines by status, the lines that a render makes, and the lines whose current take has a failed or doubtful
 * check.
 * @param {Iterable<ScriptLine>} lines
 */
export function tally(lines) {
  const counts = Object.fromEntries([...STATUSES, ...CONCERNS, ...SUMS].map((status) => [status, 0]));
  for (const line of lines) {
    const { deleted, status, due, takes } = line;
    if (deleted) continue;
    counts[status] += 1;
    const found = concernOf(line);
    if (found) counts[found] += 1;
    counts.all += 1;
    counts.unchecked += takes.filter(({ score, stale }) => score === null && !stale).length;
    if (due) counts.due += 1;
    if (due && status === "stale") counts.due_stale += 1;
    if (due && status === "failed") counts.due_failed += 1;
  }
  return counts;
}
