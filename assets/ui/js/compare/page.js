/** The Compare page: blind trials, and the results of all votes. */
import { stopAll } from "../audio/playlist.js";
import { follow, on } from "../core/bus.js";
import { announce, h } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import { page, setBlind } from "../core/pages.js";
import { poll } from "../core/polling.js";
import { get, post, reason, refusedWith, remove } from "../core/server.js";
import { takeOf } from "../core/state.js";
import { toast } from "../core/toast.js";
import { record } from "../core/undo.js";
import { mount as mountSessions } from "../sessions/section.js";
import { Ballot, REVEAL_MS } from "./ballot.js";
import { agreed, lineOf } from "./line.js";
import { Outcome } from "./outcome.js";
import { OTHER, Pair } from "./pair.js";
import { placeholder } from "./placeholder.js";
import { results } from "./results.js";

const EVERY_MS = 2000;
const READ_MS = 1000; // ignores N shortly after the names appear: the user pressed it to show them

/** The element of the page; undefined before the page is first shown. @type {HTMLElement | undefined} */
let place;
/** The server's state: the trial, the number of pairs, the results. @type {CompareState | null} */
let compareState = null;
/** @type {Pair | null} */
let pair = null;
/** @type {Ballot | null} */
let ballot = null;
/** The part of the page after the vote. @type {Outcome | null} */
let result = null;
let revealing = 0; // timer
let shown = -Infinity; // time at which the page revealed the names
let busy = false;

/** @param {HTMLElement} element */
export function mount(element) {
  place = h("div.listening");
  element.append(place);
  mountSessions(element);
  follow(STATE.page, () => (page() === "compare" ? compareState && draw() : leavePage()));
  poll({ needed: () => page() === "compare" && !busy && !ballot, every: () => EVERY_MS, look });
  follow([STATE.player, STATE.pair, STATE.playlist], () => {
    ballot?.draw();
    result?.draw();
  });
  follow(STATE.playhead, () => ballot?.drawPlayhead());
  on(EVENT.pairHeard, () => pair?.ready && announce("You can vote now. Press A, B, or X for no preference."));
}

/**
 * Begin a blind trial of two takes. Resolves to true if the trial began.
 * @param {string} take_a @param {string} take_b
 */
export async function compareBlind(take_a, take_b) {
  if (!(await agreed([take_a, take_b].map(takeOf)))) return false;
  return alone(async () => {
    receive(await post("/studio/trials", { take_a, take_b }));
    location.hash = "#compare";
  });
}

/** Keys of this page; see frame/shortcuts.js. */
export const KEYS = {
  " ": () => pair && (result ? result.playBoth(pair) : switchTo(pair.playing ? OTHER[pair.side] : pair.side)),
  ArrowLeft: () => pair && switchTo("a"),
  ArrowRight: () => pair && switchTo("b"),
  Escape: () => (result ? stopAll() : pair?.pause()),
  a: () => vote("a"),
  b: () => vote("b"),
  x: () => vote("tie"),
  u: () => undo(),
  n: () => advanceByKey(),
  Enter: () => advanceByKey(),
};

const stage = () => compareState?.trial?.stage ?? "none";
/** Return a route of the current trial. @param {string} rest */
const path = (rest = "") => `/studio/trials/${pair?.trial.id}${rest}`;

/** Get the state, because another tab may have voted or deleted a take. */
async function look() {
  const before = compareState;
  try {
    const now = withResult(await get("/studio/trials"));
    if (busy || compareState !== before) return; // the answer is older than an action on this page
    if (JSON.stringify(now) === JSON.stringify(compareState)) return;
    receive(now);
  } catch (error) {
    if (!compareState) place?.replaceChildren(h("h2.page-title", {}, "Compare"), h("p.lead", {}, reason(error)));
  }
}

/**
 * The server forgets a trial whose names were shown; its result stays until the next pair.
 * @param {CompareState} now
 */
function withResult(now) {
  return compareState && stage() === "sealed" && !now.trial
    ? { ...now, trial: compareState.trial, place: compareState.place }
    : now;
}

function leavePage() {
  clearTimeout(revealing); // starts again when the page is shown
  pair?.pause();
  setBlind(false);
}

/** Show a state of the server. @param {CompareState} now */
function receive(now) {
  const { trial } = now;
  clearTimeout(revealing);
  compareState = now;
  if (trial?.id !== pair?.trial.id) {
    pair?.pause();
    pair = trial && new Pair(trial);
    if (pair) fetchSides(pair);
  } else if (pair && trial) pair.trial = trial;
  if (stage() === "voted") revealing = setTimeout(revealByItself, REVEAL_MS);
  draw();
}

/**
 * Load both takes, so that the first click plays at once. A deleted take marks the pair as gone.
 * @param {Pair} sides
 */
async function fetchSides(sides) {
  try {
    await sides.fetch();
  } catch (error) {
    sides.gone = refusedWith(error, 404) && sides.trial.stage === "open";
    if (!sides.gone) toast(reason(error), { failed: true });
    else if (sides === pair) draw();
  }
}

function draw() {
  if (!compareState || !place) return;
  const blind = stage() === "open" || stage() === "voted";
  setBlind(blind && page() === "compare");
  const focused = place.contains(document.activeElement);
  const skip = compareState.pairs > 1 ? next : null;
  const [shown, { trial, pairs }] = [pair && !pair.gone, compareState];
  ballot =
    blind && pair && shown
      ? new Ballot(pair, { switchTo, vote, undo, reveal, leave, skip }, lineOf(compareState))
      : null;
  const sealed = trial?.stage === "sealed";
  result = pair && sealed ? new Outcome({ line: lineOf(compareState), trial, pairs, pair, switchTo, advance }) : null;
  const body =
    ballot?.element ?? result?.element ?? placeholder({ trial: Boolean(pair && trial), pairs, advance, leave });
  const tally = compareState.tally?.length ? [results(compareState.tally)] : [];
  place.replaceChildren(h("h2.page-title", {}, "Compare"), body, ...tally);
  ballot?.draw();
  body.tabIndex = -1;
  if (focused) body.focus({ preventScroll: true });
}

/** @param {Side} side */
function switchTo(side) {
  return reported(async () => {
    await pair?.switchTo(side);
    announce(`Playing ${side.toUpperCase()}.`);
  });
}

/** @param {Choice} choice */
function vote(choice) {
  if (stage() !== "open" || !pair) return undefined;
  if (!pair.ready)
    return toast("Listen to both takes first. Press Space to play. Press Space again to switch between A and B.", {
      holds: () => stage() === "open" && !pair?.ready,
    });
  const { a, b } = pair.heard_s;
  return alone(async () => {
    pair?.pause();
    receive(await post(path("/vote"), { choice, heard_a_s: a, heard_b_s: b }));
    record({ words: "vote on this pair", back: undo, isHere: () => stage() === "voted" });
    announce(`Vote saved: ${choice === "tie" ? "no preference" : choice.toUpperCase()}. Press U to undo the vote.`);
  });
}

function undo() {
  if (stage() !== "voted") return undefined;
  return alone(async () => {
    receive(await post(path("/undo")));
    announce("Vote undone.");
  });
}

function reveal() {
  return alone(async () => {
    receive(await post(path("/reveal")));
    announce(place?.querySelector(".verdict")?.textContent ?? "");
  });
}

async function revealByItself() {
  await reveal();
  shown = performance.now();
}

function advanceByKey() {
  return stage() === "sealed" && performance.now() - shown < READ_MS ? undefined : advance();
}

/** Reveal the names after a vote; otherwise begin the next pair. */
function advance() {
  if (stage() === "voted") return reveal();
  if (stage() === "sealed" && !compareState?.pairs) return announce("No pairs left.");
  return stage() === "open" || !compareState ? undefined : next();
}

function next() {
  return alone(async () => {
    receive(await post("/studio/trials/next"));
    announce("New pair. Press Space to play.");
  });
}

function leave() {
  return alone(async () => receive(await remove(path())));
}

/**
 * Run one action at a time; ignore others meanwhile. Resolves to true if the action succeeded.
 * @param {() => Promise<void>} act
 */
async function alone(act) {
  if (busy) return false;
  busy = true;
  const done = await reported(act);
  busy = false;
  const section = /** @type {HTMLElement | null | undefined} */ (place?.querySelector(".trial, .begin, .empty"));
  if (document.activeElement === document.body) section?.focus({ preventScroll: true });
  return done;
}

/**
 * Run an action and show its error. Resolves to true if the action succeeded.
 * @param {() => Promise<void>} act
 */
async function reported(act) {
  try {
    await act();
    return true;
  } catch (error) {
    toast(reason(error), { failed: true });
    if (refusedWith(error, 404, 409))
      await get("/studio/trials").then(
        (now) => receive(withResult(now)),
        () => {},
      );
    return false;
  }
}
