/** The methods of listening sessions. */

/** @typedef {{name: string, about: string, question: string, arms: [number, number]}} MethodFacts  `arms`: least, most */

/** @type {Record<ListeningMethod, MethodFacts>} */
export const METHODS = {
  ab: {
    name: "A/B",
    about: "Listeners hear two takes of a line and choose the better one.",
    question: "Which take sounds better?",
    arms: [2, 8],
  },
  ab_reference: {
    name: "A/B with reference",
    about: "Listeners also hear the voice’s reference and choose the take that is closer to the reference.",
    question: "Which take sounds more like the reference?",
    arms: [2, 8],
  },
  abx: {
    name: "ABX",
    about: "Listeners find out whether X is A or B. The result shows whether the difference is audible.",
    question: "Is X the same as A or B?",
    arms: [2, 8],
  },
  mos: {
    name: "5-point rating (MOS)",
    about: "Listeners rate single takes from 1 (bad) to 5 (excellent).",
    question: "How natural does the take sound?",
    arms: [1, 8],
  },
  mushra: {
    name: "MUSHRA",
    about: "Listeners rate all takes of a line from 0 to 100, next to a reference.",
    question: "How close is each take to the reference?",
    arms: [2, 6],
  },
};
export const METHOD_NAMES = /** @type {ListeningMethod[]} */ (Object.keys(METHODS));

/** Return true if listeners choose the better one of two takes. @param {ListeningMethod} method */
export function prefers(method) {
  return method === "ab" || method === "ab_reference";
}

/** Return true if listeners give scores. @param {ListeningMethod} method */
export function rates(method) {
  return method === "mos" || method === "mushra";
}

/** Return the question for another method: the default, unless the user typed a question. @param {string} question @param {ListeningMethod} method */
export function questionFor(question, method) {
  const usual = ["", ...Object.values(METHODS).map((facts) => facts.question)];
  return usual.includes(question.trim()) ? METHODS[method].question : question;
}
