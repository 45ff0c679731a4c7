/** The columns of the grid and their widths. */

import { ROLES } from "./lines.js";

/** @import { SortKey } from "./lines.js" */
/**
 * @typedef {{kind: "tick" | "cell" | "take" | "length" | "status", name: string, title: string, by: SortKey | null,
 *   width: string, least: number}} Column  `name`: CSS class; `by`: sort key, for a cell the column's index
 */

/**
 * Roles whose columns come before the page's own columns (take, length, status). The other columns of the sheet follow.
 * @type {Role[]}
 */
const BEFORE = ["id", "character", "emotion", "text"];
/** @type {Partial<Record<Role, [string, number]>>} */
const WIDTHS = {
  id: ["minmax(104px, 132px)", 104],
  character: ["minmax(96px, 128px)", 96],
  emotion: ["minmax(88px, 120px)", 88],
  text: ["minmax(clamp(216px, 100vw - 820px, 340px), 1fr)", 216],
  max_s: ["96px", 96],
  language: ["96px", 96],
  notes: ["220px", 220],
};
const TEXT_WIDER = "clamp(0px, 100vw - 1036px, 124px)"; // added to the least width of the text column
/** @type {Column[]} */
const OURS = [
  { kind: "take", name: "take", title: "Take", by: "takes", width: "152px", least: 152 },
  { kind: "length", name: "length", title: "Length", by: "length", width: "76px", least: 76 },
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

/**
 * Return true if cells are a header: at least two equal a column title or the name of a role.
 * @param {string[]} cells @param {string[]} columns
 */
export function isHeader(cells, columns) {
  const named = [...columns, ...Object.keys(ROLES), ...Object.values(ROLES)];
  const known = new Set(named.map((name) => name.trim().toLowerCase()).filter(Boolean));
  return cells.filter((cell) => known.has(cell.trim().toLowerCase())).length > 1;
}

/**
 * Return the grid template and the least width for CSS.
 * @param {Column[]} columns
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

/** Return the key under which a column's width is stored: its role, else its title. @param {Column} column */
export function widthKey({ name, title }) {
  return name === "other" ? `other ${title}` : name;
}
