/** Decides which voices speak a line. */
import { cellOf } from "./lines.js";

/**
 * Return the castings of a character and emotion; none if no voice is chosen. A character without castings uses those for
 * all characters. An emotion without castings uses those for any emotion. The studio has the same rule.
 * @param {Cast} cast @param {string} character @param {string} emotion @returns {Casting[]}
 */
export function castingsOf(cast, character, emotion) {
  const own = cast[character];
  const by = own && Object.keys(own).length ? own : (cast[""] ?? {});
  return by[emotion]?.length ? by[emotion] : (by[""] ?? []);
}

/**
 * Return the characters of lines without a voice, in the sheet's order.
 * @param {Iterable<ScriptLine>} lines @param {Roles} roles @param {Cast} cast
 */
export function voiceless(lines, roles, cast) {
  /** @type {Map<string, boolean>} */
  const known = new Map();
  const without = new Set();
  for (const line of lines) {
    if (line.deleted || !cellOf(line, roles, "text")) continue;
    const [character, emotion] = [cellOf(line, roles, "character"), cellOf(line, roles, "emotion")];
    const key = JSON.stringify([character, emotion]);
    if (!known.has(key)) known.set(key, castingsOf(cast, character, emotion).length > 0);
    if (!known.get(key)) without.add(character);
  }
  return /** @type {string[]} */ ([...without]);
}

/** @typedef {{name: string, lines: number, emotions: string[]}} Character */

/**
 * Return the characters of a sheet with their emotions, sorted by number of lines, most first.
 * @param {Iterable<ScriptLine>} lines @param {Roles} roles @returns {Character[]}
 */
export function charactersOf(lines, roles) {
  /** @type {Map<string, {lines: number, emotions: Set<string>}>} */
  const found = new Map();
  for (const line of lines) {
    if (line.deleted || !cellOf(line, roles, "text")) continue;
    const name = cellOf(line, roles, "character");
    const one = found.get(name) ?? { lines: 0, emotions: new Set() };
    found.set(name, one);
    one.lines += 1;
    const emotion = cellOf(line, roles, "emotion");
    if (emotion) one.emotions.add(emotion);
  }
  return [...found]
    .map(([name, { lines: count, emotions }]) => ({ name, lines: count, emotions: [...emotions].sort() }))
    .sort((one, other) => other.lines - one.lines);
}
