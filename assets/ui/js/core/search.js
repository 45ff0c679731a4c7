/** Finding what was written, whatever its case and accents. */

/** @param {string} text */
function folded(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toUpperCase().toLowerCase(); // "ß" is "ss" only in capitals
}

/** Whether every word of a search is somewhere in what is written. @param {string} search @param {string} written */
export function finds(search, written) {
  const where = folded(written);
  return folded(search)
    .split(/\s+/)
    .every((word) => where.includes(word));
}
