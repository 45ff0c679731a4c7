/** What was heard in a take, in words: lost words for one line, everything else for the details. */

const SHOWN = 4; // words of each kind

/** Missing, misheard and added words; empty where all words are heard, or nothing is known. @param {HeardTake | null} heard */
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

/** Sentences for the details. @param {HeardTake} heard */
export function heardDetails(heard) {
  const { complete, unsure, transcript, message, faults } = heard;
  return [
    complete ? "All words heard." : lostWords(heard) || message,
    unsure.length ? `Not clearly heard: ${listed(unsure.map(quoted))}` : "",
    transcript && `Heard: "${transcript}"`,
    ...faults.map((fault) => fault.message),
  ].filter(Boolean);
}

/** How many words are lost; infinite where they cannot be counted, or are unknown. @param {HeardTake | null} heard */
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
  return heard ? `"${heard}" for "${word}"` : `"${word}"`;
}

/** @param {string[]} words */
function listed(words) {
  const more = words.length > SHOWN ? ` and ${words.length - SHOWN} more` : "";
  return words.slice(0, SHOWN).join(", ") + more;
}
