/** The views without sounds: the start, the questions, the thanks, and an invalid link. */
import { announce, h } from "./dom.js";
import { draft, keepDraft } from "./storage.js";

/** @import { Question, State, View } from "./types.d.ts" */

export const QUESTIONS = "questions"; // the draft of the answers

/** @param {State} state @param {string} place @param {() => unknown} start @returns {View} */
export function startView({ can_undo, instruction, stage, number, title }, place, start) {
  const begun = number > 1 || can_undo || stage === "questions";
  const heading = h("h2", { tabindex: "-1" }, title);
  const button = h("button.primary", { type: "button", onclick: start }, begun ? "Continue" : "Start");
  const advice = "Use headphones in a quiet place. Set a comfortable volume now, and do not change it later.";
  const later = begun
    ? `Welcome back. You continue where you stopped: ${place}.`
    : "You can stop at any time and come back to this link later.";
  const texts = [h("p.lead", {}, instruction), h("p", {}, advice), h("p.hint", {}, later)];
  return { element: h("section.start", {}, heading, ...texts, button), focus: button };
}

/**
 * @param {State} state @param {(answers: Record<string, string>) => unknown} send @param {() => unknown} undo
 * @returns {View}
 */
export function questionsView({ questions, can_undo }, send, undo) {
  const hasQuestions = questions.length > 0;
  const heading = h("h2", { tabindex: "-1" }, hasQuestions ? "A few questions" : "All trials are done");
  const lead =
    !hasQuestions &&
    h(
      "p.lead",
      {},
      "Your votes are saved. Press Finish to complete your part. Until then, you can undo the last vote.",
    );
  /** @type {Record<string, string>} */
  const answers = draft(QUESTIONS);
  const keep = (/** @type {string} */ id, /** @type {string} */ text) => {
    answers[id] = text;
    keepDraft(QUESTIONS, answers);
  };
  const fields = questions.map((question) => field(question, answers[question.id] ?? "", keep));
  const onsubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    send(Object.fromEntries(questions.map(({ id }) => [id, answers[id] ?? ""])));
  };
  const undoButton = can_undo && h("button.link", { type: "button", onclick: undo }, "Undo the last vote");
  const submit = h("button.primary", { type: "submit" }, hasQuestions ? "Send answers" : "Finish");
  const form = h("form", { onsubmit }, ...fields, h("div.submit", {}, submit, undoButton));
  return { element: h("section.questions", {}, heading, lead, form), focus: hasQuestions ? heading : submit };
}

/** @param {Question} question @param {string} answer @param {(id: string, text: string) => void} keep */
function field({ id, text, choices }, answer, keep) {
  if (!choices) {
    const area = h("textarea", { rows: 3 }, answer);
    area.addEventListener("input", () => keep(id, area.value));
    return h("label.question", {}, h("span", {}, text), area);
  }
  const options = choices.map((choice) => {
    const onchange = () => keep(id, choice);
    const input = h("input", { type: "radio", name: id, value: choice, checked: choice === answer, onchange });
    return h("label.option", {}, input, h("span", {}, choice));
  });
  return h("fieldset.question", {}, h("legend", {}, text), h("div.options", {}, ...options));
}

/** @param {State} state @returns {View} */
export function doneView({ completion_code }) {
  const heading = h("h2", { tabindex: "-1" }, "Thank you");
  const words = "Your answers are saved. You can close this page.";
  const element = h("section.done", {}, heading, h("p.lead", {}, words), completion_code && codeBox(completion_code));
  return { element, focus: heading };
}

/** @param {string} code */
function codeBox(code) {
  const output = h("code", { id: "code", tabindex: "0" }, code);
  const copied = h("p.hint");
  const copy = async () => {
    copied.textContent = (await written(code, output)) ? "Copied." : "The code is selected. Copy it with Ctrl+C or ⌘C.";
    announce(copied.textContent);
  };
  const button = h("button.primary", { type: "button", onclick: copy }, "Copy code");
  return h("div.code-box", {}, h("p", {}, "Your completion code:"), h("div.code-row", {}, output, button), copied);
}

/** Copy a text. If the browser refuses, select the element that shows it. @param {string} text @param {HTMLElement} element */
async function written(text, element) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(element);
    return false;
  }
}

/** @param {string} sentence @returns {View} */
export function closedView(sentence) {
  const heading = h("h2", { tabindex: "-1" }, "This session is not open");
  const ask = "Ask the person who sent you the link.";
  return { element: h("section.closed", {}, heading, h("p.lead", {}, sentence), h("p.hint", {}, ask)), focus: heading };
}
