/**
 * Amplitudes that make sounds equally loud, by lowering the louder ones.
 * @param {(number | null)[]} levels_lufs  null: silent or unknown
 */
export function amplitudes(levels_lufs) {
  const known = levels_lufs.filter((level) => level !== null);
  const quietest = Math.min(...known);
  return levels_lufs.map((level) => (level === null ? 1 : 10 ** ((quietest - level) / 20)));
}
