/** Describes the recognised words of a take: lost words in one line, everything else in the details. */

/** @typedef {{word: string, start_s: number, end_s: number}} TimedWord */

const SHOWN = 4; // words shown of each kind

/**
 * Return missing, misheard and added words; empty if all words are heard or the take was not checked.
 * @param {HeardTake | null} heard
 */
export function lostWords(heard) {
  if (heard?.complete !== false) return "";
  const kinds = [
    ["Missing", heard.missing.map(quoted)],
    ["Misheard", heard.misheard.map(misheard)],
    ["Added", heard.added.map(quoted)],
  ];
  const said = kinds.filter(([, words]) => words.length).map(([kind, words]) => `${kind}: ${listed([...words])}`);
  return said.join(" · ") || heard.message;
}

/**
 * Return the words of the button of a take, and its icon.
 * @param {Pick<Take, "heard" | "hearing">} take @returns {{words: string, sign?: "warn" | "check"}}
 */
export function resultOf({ heard, hearing }) {
  if (!heard) return { words: hearing ? "Checking words…" : "Check words" };
  const lost = lostWords(heard);
  if (lost) return { words: lost, sign: "warn" };
  if (heard.complete) return { words: "All words heard", sign: "check" };
  return heard.unsure.length ? { words: "No word heard clearly", sign: "warn" } : { words: "Words not checked" };
}

/** Return the sentences of the details. @param {HeardTake} heard */
export function heardDetails(heard) {
  const { complete, unsure, transcript, message, faults } = heard;
  return [
    complete ? "All words heard." : lostWords(heard) || message,
    unsure.length ? `Not clearly heard: ${listed(unsure.map(quoted))}` : "",
    transcript && `Speech recognition heard: "${transcript}"`,
    ...faults.map((fault) => fault.message),
  ].filter(Boolean);
}

/** Return the indices of the written words that are missing or misheard. @param {HeardTake} heard */
export function lostIndices({ missing, misheard }) {
  return [...missing, ...misheard].map(({ index }) => index);
}

/**
 * Return the position of each written word in the text; null for a word that the text does not contain.
 * @param {string} text @param {TimedWord[]} words @returns {([number, number] | null)[]}
 */
export function placesOf(text, words) {
  let from = 0;
  return words.map(({ word }) => {
    const at = wholeWordAt(text, word, from);
    if (at < 0) return null;
    from = at + word.length;
    return [at, from];
  });
}

/** @param {string} text @param {string} word @param {number} from  index of the first character */
function wholeWordAt(text, word, from) {
  const isPart = (/** @type {string | undefined} */ sign) => sign !== undefined && /[\p{L}\p{N}]/u.test(sign);
  let at = text.indexOf(word, from);
  while (at >= 0 && (isPart(text[at - 1]) || isPart(text[at + word.length]))) at = text.indexOf(word, at + 1);
  return at;
}

/** Return the index of the word at this time; -1 between words. @param {TimedWord[]} words @param {number} at_s */
export function wordAt(words, at_s) {
  return words.findIndex(({ start_s, end_s }) => start_s <= at_s && at_s < end_s);
}

/**
 * Return the number of lost words; infinite if they cannot be counted or the take was not checked.
 * @param {HeardTake | null} heard
 */
export function lostCount(heard) {
  if (!heard || heard.complete === null) return Number.POSITIVE_INFINITY;
  const count = heard.missing.length + heard.misheard.length + heard.added.length;
  return heard.complete ? 0 : count || Number.POSITIVE_INFINITY;
}

/** @param {OtherWord} one */
function quoted({ word }) {
  return `"${word}"`;
}

/** @param {OtherWord} one */
function misheard({ word, heard }) {
  return heard ? `"${heard}" instead of "${word}"` : `"${word}"`;
}

/** @param {string[]} words */
function listed(words) {
  const more = words.length > SHOWN ? ` and ${words.length - SHOWN} more` : "";
  return words.slice(0, SHOWN).join(", ") + more;
}
