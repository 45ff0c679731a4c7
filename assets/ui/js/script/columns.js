/** What the grid shows of a sheet, and how wide. */

import { ROLES } from "./lines.js";

/** @import { SortKey } from "./lines.js" */
/**
 * @typedef {{kind: "tick" | "cell" | "take" | "length" | "status", name: string, title: string, by: SortKey | null,
 *   width: string, least: number}} Column  `name` for the style; `by` is what it sorts by, for a cell its column
 */

/** Before what we know of a line, and after it. @type {Role[]} */
const BEFORE = ["id", "character", "emotion", "text"];
/** @type {Partial<Record<Role, [string, number]>>} */
const WIDTHS = {
  id: ["minmax(96px, 132px)", 96],
  character: ["minmax(96px, 128px)", 96],
  emotion: ["minmax(88px, 120px)", 88],
  text: ["minmax(clamp(216px, 100vw - 820px, 340px), 1fr)", 216],
  max_s: ["96px", 96],
  language: ["96px", 96],
  notes: ["220px", 220],
};
const TEXT_WIDER = "clamp(0px, 100vw - 1036px, 124px)"; // above its least width
/** @type {Column[]} */
const OURS = [
  { kind: "take", name: "take", title: "Take", by: "takes", width: "164px", least: 164 },
  { kind: "length", name: "length", title: "Length", by: "length", width: "72px", least: 72 },
  { kind: "status", name: "status", title: "Status", by: "status", width: "196px", least: 196 },
];
/** @type {Column} */
const TICK = { kind: "tick", name: "tick", title: "Ticked", by: null, width: "40px", least: 40 };

/** @param {Sheet} sheet @returns {Column[]} */
export function columnsOf({ columns, roles }) {
  /** @type {Map<number, Role>} */
  const roleOf = new Map();
  for (const [role, column] of Object.entries(roles))
    if (typeof column === "number") roleOf.set(column, /** @type {Role} */ (role));
  const cell = (/** @type {number} */ column) => cellColumn(column, columns[column], roleOf.get(column));
  const before = BEFORE.map((role) => roles[role]).filter((column) => typeof column === "number");
  const after = columns.map((_, column) => column).filter((column) => !before.includes(column));
  return [TICK, ...before.map(cell), ...OURS, ...after.map(cell)];
}

/** @param {number} column @param {string} title @param {Role} [role] @returns {Column} */
function cellColumn(column, title, role) {
  const [width, least] = (role && WIDTHS[role]) ?? ["152px", 152];
  return { kind: "cell", name: role ?? "other", title: title || `Column ${column + 1}`, by: column, width, least };
}

/** Whether cells are headings: two at least are called as a column of the sheet or as what a column may say. @param {string[]} cells @param {string[]} columns */
export function isHeader(cells, columns) {
  const named = [...columns, ...Object.keys(ROLES), ...Object.values(ROLES)];
  const known = new Set(named.map((name) => name.trim().toLowerCase()).filter(Boolean));
  return cells.filter((cell) => known.has(cell.trim().toLowerCase())).length > 1;
}

/**
 * For the style: the tracks, and how narrow they get. @param {Column[]} columns
 * @param {Record<string, number>} chosen  widths in pixels, by `widthKey`
 */
export function tracks(columns, chosen = {}) {
  const widths = columns.map((column) => chosen[widthKey(column)]);
  const least = columns.reduce((sum, { least }, at) => sum + (widths[at] ?? least), 0);
  const wider = columns.some(({ name }, at) => name === "text" && !widths[at]) ? TEXT_WIDER : "0px";
  return {
    template: columns.map(({ width }, at) => (widths[at] ? `${widths[at]}px` : width)).join(" "),
    least: `calc(${least}px + ${wider})`,
  };
}

/** By which a column's width is remembered: its role, else its title. @param {Column} column */
export function widthKey({ name, title }) {
  return name === "other" ? `other ${title}` : name;
}
