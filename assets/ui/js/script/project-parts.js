/** Divides a cast into parts by character and a lexicon into parts by word, compares and merges parts. */
import { tidy } from "./cast-draft.js";

/** @typedef {Record<string, any>} Parts  the parts by name */
/** @typedef {{name: string, before: unknown, after: unknown}} PartChange  undefined: the part does not exist */

const APART = "\0"; // separates a word from its voice and language

/** @param {Cast} cast @returns {Parts} */
export function castParts(cast) {
  return tidy(cast);
}

/** Name a part of a cast in messages. @param {string} character */
export function castPart(character) {
  return character || "lines without a character";
}

/** Name the part of an entry. @param {Respelling} entry */
export function lexiconName({ word, voice, language }) {
  return [word, voice, language].join(APART);
}

/**
 * Return the entries of each word, voice and language, in the order of the lexicon.
 * @param {Respelling[]} lexicon @returns {Parts}
 */
export function lexiconParts(lexicon) {
  /** @type {Record<string, Respelling[]>} */
  const parts = {};
  for (const entry of lexicon) {
    const name = lexiconName(entry);
    parts[name] = [...(parts[name] ?? []), entry];
  }
  return parts;
}

/** Name a part of a lexicon in messages. @param {string} name */
export function lexiconPart(name) {
  return `“${name.split(APART)[0]}”`;
}

/** @param {Parts} parts @returns {Respelling[]} */
export function lexiconOf(parts) {
  return Object.values(parts).flat();
}

/** Return the parts that differ. @param {Parts} before @param {Parts} after @returns {PartChange[]} */
export function otherParts(before, after) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => ({ name, before: before[name], after: after[name] }));
}

/** @param {Parts} parts @param {PartChange[]} change @returns {Parts} */
export function merged(parts, change) {
  const now = { ...parts };
  for (const { name, after } of change) {
    if (after === undefined) delete now[name];
    else now[name] = after;
  }
  return now;
}
