/** The page of an invitation: starts it, shows what comes next, and sends votes and answers until the server has them. */
import { announce } from "./dom.js";
import { head, hideMessage, lock, show, warn } from "./frame.js";
import { closedView, doneView, QUESTIONS, questionsView, startView } from "./pages.js";
import { audio } from "./player.js";
import * as server from "./server.js";
import { keepDraft, keepUnsent, listener, unsent } from "./storage.js";
import { placeOf, trialView } from "./trial.js";
import { WaitingView } from "./waiting.js";

/** @import { Message, State } from "./types.d.ts" */

const SAVED = { votes: "Vote saved.", undo: "The last vote was taken back.", answers: "Answers saved." };
const KEPT = {
  votes: "Your vote is kept in this browser.",
  undo: "",
  answers: "Your answers are kept in this browser.",
};

let started = false; // a press on Start allowed the page to play sound
/** What "Try again" does, also when the connection returns. @type {(() => unknown) | null} */
let again = null;
/** The view of a session that is not ready. @type {WaitingView | null} */
let waiting = null;

/** @param {State} state @param {string} news  what was done, for screen readers */
function present(state, news = "") {
  if (waiting?.isShown) {
    hideMessage();
    again = null;
  }
  head(state);
  if (state.stage === "questions")
    show(questionsView(state, (answers) => tell({ path: "answers", body: { answers } }), undo));
  else if (state.stage === "done") show(doneView(state));
  else if (!started) show(startView(state, placeOf(state), () => start(state)));
  else showTrial(state);
  announce([news, started || state.stage === "done" ? placeOf(state) : ""].filter(Boolean).join(" "));
}

/** @param {State} state */
function start(state) {
  started = true;
  audio().resume();
  present(state);
}

/** @param {State} state */
function showTrial(state) {
  if (!state.trial) return retry("The studio sent no trial.", refresh);
  const vote = (/** @type {object} */ body) => tell({ path: "votes", body });
  const failed = (/** @type {unknown} */ error) => {
    const cause = error instanceof Error ? error.message : "";
    retry(`The sounds could not be loaded. ${cause}`, refresh);
  };
  return show(trialView(state, state.trial, { vote, undo, failed }));
}

function undo() {
  return tell({ path: "undo", body: {} });
}

/** Fetch the state and show it. Join first if this browser has not joined. */
async function refresh(news = "") {
  lock(true);
  try {
    if (!listener()) await server.join();
    present(await server.state(), news);
  } catch (error) {
    await failed(error, () => refresh(news));
  }
}

/** Send a message and show the next state. @param {Message} message */
async function tell(message) {
  const { path, body } = message;
  lock(true);
  if (path !== "undo") keepUnsent(message); // an undo that is sent twice would take back two votes
  try {
    const state = await server.tell(message);
    keepUnsent(null);
    if (path !== "undo") keepDraft("trial" in body ? String(body.trial) : QUESTIONS, null);
    hideMessage();
    present(state, SAVED[path]);
  } catch (error) {
    await failed(error, () => (path === "undo" ? refresh() : tell(message)), KEPT[path]);
  }
}

/** @param {unknown} error @param {() => unknown} repeat @param {string} kept  what is not lost */
async function failed(error, repeat, kept = "") {
  if (!(error instanceof server.Refusal || error instanceof server.NoConnection)) throw error;
  if (isNotReady(error)) return wait("not ready yet");
  const refused = error instanceof server.Refusal && !error.passing;
  if (!refused && waiting?.isShown) return wait(error.message);
  if (!refused) return retry([error.message, kept].filter(Boolean).join(" "), repeat);
  keepUnsent(null);
  if (error.gone) return close(error.message);
  if (error.status === 401) return rejoin();
  if (error.status !== 409 && error.status !== 422) return retry(error.message, refresh);
  warn(error.message);
  return refresh();
}

/** Become a new listener, because the server does not know the present one. */
async function rejoin() {
  try {
    await server.join();
    present(await server.state());
  } catch (error) {
    if (error instanceof server.Refusal && error.gone) close(error.message);
    else if (isNotReady(error)) wait("not ready yet");
    else retry(error instanceof Error ? error.message : "", rejoin);
  }
}

/** @param {unknown} error */
function isNotReady(error) {
  return error instanceof server.Refusal && error.notReady;
}

/** Show that the session is not ready. The view tries again by itself. @param {string} result  of the latest check */
function wait(result) {
  if (!waiting?.isShown) {
    hideMessage();
    again = null;
    head(null);
    announce("");
    waiting = new WaitingView(begin);
    show(waiting);
  }
  waiting.note(result);
}

/** @param {string} sentence */
function close(sentence) {
  hideMessage();
  head(null);
  announce("");
  show(closedView(sentence));
}

/** @param {string} sentence @param {() => unknown} repeat */
function retry(sentence, repeat) {
  again = () => {
    again = null;
    hideMessage();
    repeat();
  };
  warn(sentence, again);
}

/** Send what the server does not have yet, then show the state. */
function begin() {
  const message = unsent();
  return message ? tell(message) : refresh();
}

addEventListener("online", () => again?.());
begin();
