/** Decide which entries of the lexicon apply to lines in a language, with the rules of `is_alike` in studio/languages.py. */

const EXTENSIONS = /-[a-z0-9]-.*$/i;
const REGION = /[-_]([a-z]{2}|[0-9]{3})(?![^-_])/i;

/**
 * Return true if an entry applies to lines of a language. An entry without a language applies to all lines.
 * @param {string} entry  tag of the entry @param {string} language  tag of the lines
 */
export function appliesTo(entry, language) {
  if (!entry || !language) return !entry;
  const [one, other] = [entry, language].map((tag) => tag.replace(EXTENSIONS, "").toLowerCase());
  const [region, otherRegion] = [one, other].map((tag) => tag.match(REGION)?.[1]);
  const isSameRegion = !region || !otherRegion || region === otherRegion;
  return one.split(/[-_]/)[0] === other.split(/[-_]/)[0] && isSameRegion;
}
