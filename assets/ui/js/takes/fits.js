/** Which takes are of a folder and fit a search. */
import { finds } from "../core/search.js";

/** @typedef {{search: string, folder: string | null}} TakeFilter  no folder is "", every folder null */

/**
 * @param {Take} take @param {TakeFilter} filter
 * @param {string} spoken  by whom and what it was spoken, as the page calls them
 */
export function fits({ order, engine, folder }, filter, spoken = "") {
  if (filter.folder !== null && filter.folder !== folder) return false;
  return finds(filter.search, `${order.text} ${order.champion} ${engine} ${spoken} seed ${order.seed}`);
}

/** The folders there are, as people sort them: 2 before 10. @param {Take[]} takes */
export function foldersOf(takes) {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return [...new Set(takes.map(({ folder }) => folder))].filter(Boolean).sort(compare);
}

/** Why none shows. @param {TakeFilter} filter */
export function noneWords({ search, folder }) {
  const where = folder ? ` in “${folder}”` : folder === "" ? " without folder" : "";
  return search.trim() ? `No takes match “${search.trim()}”${where}.` : `No takes${where}.`;
}
