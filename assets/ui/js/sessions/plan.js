/** The plan of a listening session as the editor holds it, and its conversion from and to the studio's form. */
import { METHODS, prefers, questionFor } from "./methods.js";

export const LINES_MAX = 200;
export const LINE_MAX = 300; // characters
const ORDER = new Set(
  "text clip_id start_s end_s transcript engine champion version attachment".split(" "), // not settings
);

/** @param {string} voice @param {string[]} engines  names of the running engines @returns {SessionDraft} */
export function blankDraft(voice, engines) {
  const [first = "", second = first] = engines;
  return {
    name: "",
    title: "",
    question: METHODS.ab.question,
    method: "ab",
    arms: [first, second].map((engine, at) => ({ name: `Arm ${at + 1}`, voice, engine, settings: {} })),
    lines: "",
    trials: 10,
    practice: 1,
    catches: true,
    headphones: false,
    arena: false,
    shows_text: true,
    reference: 0,
    questions: [],
  };
}

/** @param {SessionPlan} plan @returns {SessionDraft} */
export function draftOf(plan) {
  const arms = plan.arms.map(({ name, voice, order }) => ({
    name,
    voice,
    engine: order.engine,
    settings: settingsOf(order),
  }));
  return {
    ...plan,
    arms,
    lines: plan.lines.join("\n"),
    questions: plan.questions.map(({ text, choices }) => ({ text, choices: choices.join("\n") })),
  };
}

/** Return the seed and the settings of an order that are set. @param {Order} order @returns {Record<string, number>} */
export function settingsOf(order) {
  const set = Object.entries(order).filter(([name, value]) => !ORDER.has(name) && typeof value === "number");
  return Object.fromEntries(/** @type {[string, number][]} */ (set));
}

/** Return the non-empty rows of a text. @param {string} text */
export function linesOf(text) {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

/** Return what the studio stores. @param {SessionDraft} draft */
export function bodyOf(draft) {
  const questions = draft.questions.filter(({ text }) => text.trim());
  return {
    ...draft,
    name: draft.name.trim(),
    title: draft.title.trim(),
    question: draft.question.trim(),
    arms: draft.arms.map((arm) => ({ ...arm, name: arm.name.trim() })),
    lines: linesOf(draft.lines),
    reference: draft.method === "mushra" ? draft.reference : 0,
    arena: Boolean(draft.arena) && prefers(draft.method),
    questions: questions.map(({ text, choices }) => ({ text: text.trim(), choices: linesOf(choices) })),
  };
}

/** Return what is wrong with the lines; empty if nothing is. @param {string} text */
export function linesFault(text) {
  const lines = linesOf(text);
  const long = lines.findIndex((line) => line.length > LINE_MAX);
  if (!lines.length) return "Type at least one line.";
  if (lines.length > LINES_MAX) return `Remove ${lines.length - LINES_MAX} lines. A session has at most ${LINES_MAX}.`;
  return long < 0 ? "" : `Shorten line ${long + 1}. A line has at most ${LINE_MAX} characters.`;
}

/** Return a similar name that no arm has. @param {string} name @param {SessionArm[]} arms */
export function freeName(name, arms) {
  const taken = new Set(arms.map((arm) => arm.name.trim().toLowerCase()));
  const stem = name.replace(/ \d+$/, "");
  let count = 2;
  while (taken.has(`${stem} ${count}`.toLowerCase())) count += 1;
  return taken.has(name.toLowerCase()) ? `${stem} ${count}` : name;
}

/** Choose another method. @param {SessionDraft} draft @param {ListeningMethod} method */
export function chooseMethod(draft, method) {
  draft.method = method;
  draft.question = questionFor(draft.question, method);
}

/** @typedef {"name" | "title" | "question" | "method" | "arms" | "lines" | "trials" | "questions" | "reference"} Part */

const PARTS = /** @type {[Part, RegExp][]} */ ([
  ["reference", /reference is not/],
  ["arms", /\barms?\b|voice|champion|engine|setting|seed|MUSHRA/i],
  ["lines", /\blines?\b/i],
]);

/**
 * Return the part of the form that an error is about; empty if that is unknown.
 * @param {string} message @param {string | null} [param]  the field that the studio names
 * @returns {Part | ""}
 */
export function partOf(message, param = null) {
  const known = ["name", "title", "question", "method", "arms", "lines", "trials", "questions", "reference"];
  if (param === "practice") return "trials";
  if (param && known.includes(param)) return /** @type {Part} */ (param);
  return PARTS.find(([, words]) => words.test(message))?.[0] ?? "";
}
