/** Search and sort order of champions. */

import { languageName } from "../core/format.js";
import { finds } from "../core/search.js";

/** @type {Record<string, {words: string, compare: (one: Champion, other: Champion) => number}>} */
export const SORTS = {
  newest: { words: "Newest first", compare: (one, other) => other.saved_at.localeCompare(one.saved_at) },
  name: { words: "By name", compare: (one, other) => one.title.localeCompare(other.title) },
  votes: { words: "Most votes first", compare: (one, other) => won(other) - won(one) },
};

/** @param {Champion} champion */
function won({ votes }) {
  return votes?.won ?? -1;
}

/**
 * Return true if id, title, notes, engine and language contain every word of the search.
 * @param {Champion} champion @param {string} search
 */
export function fits({ id, title, notes, engine, language }, search) {
  return finds(search, `${id} ${title} ${notes} ${engine} ${language ? languageName(language) : ""}`);
}
