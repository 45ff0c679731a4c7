/**
 * Reads and writes cells in the clipboard format of spreadsheets: tabs between cells, quotes around cells with a tab,
 * line break or quote.
 */

/** @param {string} text @returns {string[][]} */
export function cellsOf(text) {
  /** @type {string[][]} */
  const rows = [[]];
  const pattern = /("(?:[^"]|"")*"(?=[\t\r\n]|$)|[^\t\r\n]*)(\t|\r\n|\r|\n|$)/g;
  for (const [whole, cell, after] of text.matchAll(pattern)) {
    if (!whole && !after && !rows.at(-1)?.length) break;
    rows
      .at(-1)
      ?.push(
        cell.startsWith('"') && cell.endsWith('"') && cell.length > 1 ? cell.slice(1, -1).replaceAll('""', '"') : cell,
      );
    if (!after) break;
    if (after !== "\t") rows.push([]);
  }
  return rows.filter((row) => row.length);
}

/** @param {string[][]} rows */
export function textOf(rows) {
  const quoted = (/** @type {string} */ cell) => (/[\t\r\n"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return rows.map((row) => row.map(quoted).join("\t")).join("\n");
}
