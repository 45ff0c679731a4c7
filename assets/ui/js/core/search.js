/** Text search that ignores case and accents. */

/** @param {string} text */
function folded(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toUpperCase().toLowerCase(); // upper case turns "ß" into "SS"
}

/** Return true if a text contains every word of a search. @param {string} search @param {string} written */
export function finds(search, written) {
  const where = folded(written);
  return folded(search)
    .split(/\s+/)
    .every((word) => where.includes(word));
}
