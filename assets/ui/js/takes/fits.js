/** Matches takes with a folder and a search. */
import { finds } from "../core/search.js";

/** @typedef {{search: string, folder: string | null}} TakeFilter  folder "": takes without folder; null: all takes */

/**
 * @param {Take} take @param {TakeFilter} filter
 * @param {string} spoken  names of the voice and the engine on the page
 */
export function fits({ order, engine, folder }, filter, spoken = "") {
  if (filter.folder !== null && filter.folder !== folder) return false;
  return finds(filter.search, `${order.text} ${order.champion} ${engine} ${spoken} seed ${order.seed}`);
}

/** Return the names of all folders in natural order: 2 before 10. @param {Take[]} takes */
export function foldersOf(takes) {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return [...new Set(takes.map(({ folder }) => folder))].filter(Boolean).sort(compare);
}

/** Return why no take is shown. @param {TakeFilter} filter */
export function noneWords({ search, folder }) {
  const where = folder ? ` in “${folder}”` : folder === "" ? " without folder" : "";
  return search.trim() ? `No takes match “${search.trim()}”${where}.` : `No takes${where}.`;
}
