/**
 * Return the amplitudes that make sounds equally loud. Only louder sounds are lowered.
 * @param {(number | null)[]} levels_lufs  null if silent or unknown
 */
export function amplitudes(levels_lufs) {
  const known = levels_lufs.filter((level) => level !== null);
  const quietest = Math.min(...known);
  return levels_lufs.map((level) => (level === null ? 1 : 10 ** ((quietest - level) / 20)));
}
