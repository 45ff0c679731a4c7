/** Stage directions of a text, such as [shouting]. The studio decides which brackets are directions. */
import { h } from "./dom.js";

/**
 * Split a text at its directions.
 * @param {string} text @param {string[]} directions  as written, in order of the text
 * @returns {{text: string, direction: boolean}[]}
 */
export function partsOf(text, directions) {
  const parts = [];
  let end = 0;
  for (const written of directions) {
    const start = text.indexOf(written, end);
    if (start < 0) continue;
    if (start > end) parts.push({ text: text.slice(end, start), direction: false });
    end = start + written.length;
    parts.push({ text: written, direction: true });
  }
  if (end < text.length) parts.push({ text: text.slice(end), direction: false });
  return parts;
}

/** @param {string} written @param {string} [title] */
export function directionChip(written, title = "Stage direction: not spoken") {
  return h("span.direction", { title }, written);
}
