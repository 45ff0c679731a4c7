/** The Compare page: one blind trial after another, and what the votes add up to. */
import { stopAll } from "../audio/playlist.js";
import { follow, on } from "../core/bus.js";
import { announce, h } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import { page } from "../core/pages.js";
import { poll } from "../core/polling.js";
import { get, post, reason, refusedWith, remove } from "../core/server.js";
import { takeOf } from "../core/state.js";
import { toast } from "../core/toast.js";
import { record } from "../core/undo.js";
import { Ballot, REVEAL_MS } from "./ballot.js";
import { agreed, lineOf } from "./line.js";
import { Outcome } from "./outcome.js";
import { OTHER, Pair } from "./pair.js";
import { results } from "./results.js";

const EVERY_MS = 2000;
const READ_MS = 1000; // N that was meant to show the names does not skip them

/** Once the page was shown. @type {HTMLElement | undefined} */
let place;
/** The trial, how many pairs wait, the results; as the server tells them. @type {TrialDesk | null} */
let desk = null;
/** @type {Pair | null} */
let pair = null;
/** @type {Ballot | null} */
let ballot = null;
/** After the vote. @type {Outcome | null} */
let result = null;
let revealing = 0; // timer
let shown = -Infinity; // when the names showed by themselves
let busy = false;

/** @param {HTMLElement} element */
export function mount(element) {
  place = h("div.listening");
  element.append(place);
  follow(STATE.page, () => (page() === "compare" ? desk && draw() : leavePage()));
  poll({ needed: () => page() === "compare" && !busy && !ballot, every: () => EVERY_MS, look });
  follow([STATE.player, STATE.pair, STATE.playlist], () => {
    ballot?.draw();
    result?.draw();
  });
  follow(STATE.playhead, () => ballot?.drawPlayhead());
  on(EVENT.pairHeard, () => pair?.ready && announce("You can vote now. Press A, B, or X for no preference."));
}

/**
 * Hear two takes blind: for whoever has two, from wherever on the page. Resolves to whether a trial began.
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
  " ": () => pair && (result ? result.playBoth(pair) : hear(pair.playing ? OTHER[pair.side] : pair.side)),
  ArrowLeft: () => pair && hear("a"),
  ArrowRight: () => pair && hear("b"),
  Escape: () => (result ? stopAll() : pair?.pause()),
  a: () => vote("a"),
  b: () => vote("b"),
  x: () => vote("tie"),
  u: () => undo(),
  n: () => advanceByKey(),
  Enter: () => advanceByKey(),
};

const stage = () => desk?.trial?.stage ?? "none";
/** Of the trial on screen. @param {string} rest */
const path = (rest = "") => `/studio/trials/${pair?.trial.id}${rest}`;

/** Another tab may have voted, or deleted a take. What did not come is asked for again. */
async function look() {
  const before = desk;
  try {
    const now = withResult(await get("/studio/trials"));
    if (busy || desk !== before || JSON.stringify(now) === JSON.stringify(desk)) return; // what is done is newer
    receive(now);
  } catch (error) {
    if (!desk) place?.replaceChildren(h("h2.page-title", {}, "Compare"), h("p.lead", {}, reason(error)));
  }
}

/** The server forgets a trial whose names were shown; its result stays until the next pair. @param {TrialDesk} now */
function withResult(now) {
  return desk && stage() === "sealed" && !now.trial ? { ...now, trial: desk.trial, place: desk.place } : now;
}

function leavePage() {
  clearTimeout(revealing); // begins anew on the way back, for who wants to see it
  pair?.pause();
  document.body.classList.remove("blind");
}

/** Put on the page what the server says. @param {TrialDesk} now */
function receive(now) {
  const { trial } = now;
  clearTimeout(revealing);
  desk = now;
  if (trial?.id !== pair?.trial.id) {
    pair?.pause();
    pair = trial && new Pair(trial);
    if (pair) fetchSides(pair);
  } else if (pair && trial) pair.trial = trial;
  if (stage() === "voted") revealing = setTimeout(revealByItself, REVEAL_MS);
  draw();
}

/** So that the first press makes sound. A side whose take was deleted will never come. @param {Pair} sides */
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
  if (!desk || !place) return;
  const blind = stage() === "open" || stage() === "voted";
  document.body.classList.toggle("blind", blind && page() === "compare");
  const focused = place.contains(document.activeElement);
  const skip = desk.pairs > 1 ? next : null;
  const [shown, { trial, pairs }] = [pair && !pair.gone, desk];
  ballot = blind && pair && shown ? new Ballot(pair, { hear, vote, undo, reveal, leave, skip }, lineOf(desk)) : null;
  const sealed = trial?.stage === "sealed";
  result = pair && sealed ? new Outcome({ line: lineOf(desk), trial, pairs, pair, hear, advance }) : null;
  const body = ballot?.element ?? result?.element ?? placeholder(desk);
  const tally = desk.tally?.length ? [results(desk.tally)] : [];
  place.replaceChildren(h("h2.page-title", {}, "Compare"), body, ...tally);
  ballot?.draw();
  body.tabIndex = -1;
  if (focused) body.focus({ preventScroll: true });
}

/** What stands where no vote can be given. @param {TrialDesk} desk */
function placeholder({ trial, pairs }) {
  if (!pair || !trial) return pairs ? begin(pairs) : empty();
  return gone();
}

/** In place of a trial that cannot be heard any more. */
function gone() {
  return h(
    "section.begin",
    { "aria-label": "Blind trial", "aria-live": "polite" },
    h("p.lead", {}, "One of the two takes was deleted. Leave this trial."),
    h("button.primary", { type: "button", onclick: leave }, "Leave trial"),
  );
}

/** Before the first trial, and after the last. @param {number} pairs  that wait */
function begin(pairs) {
  return h(
    "section.begin",
    { "aria-label": "Next pair" },
    h("p.lead", {}, "Which take do you prefer?"),
    h(
      "p",
      {},
      `Pairs to compare: ${pairs.toLocaleString("en")}. Each pair is one line, spoken with two engines or settings.`,
    ),
    h("button.primary", { type: "button", onclick: advance }, "Next pair ", h("kbd", {}, "N")),
  );
}

function empty() {
  return h(
    "div.empty",
    {},
    h("p.lead", {}, "Listen to two takes without names, and vote."),
    h(
      "p",
      {},
      "Speak one line twice, with two engines or two settings. Each such pair appears here. ",
      "For any other two takes, press Add to Compare on both in the list of takes, then press Compare blind.",
    ),
    h("a.button", { href: "#speak" }, "Go to Speak"),
  );
}

/** @param {Side} side */
function hear(side) {
  return reported(async () => {
    await pair?.hear(side);
    announce(`Playing ${side.toUpperCase()}.`);
  });
}

/** @param {Choice} choice */
function vote(choice) {
  if (stage() !== "open" || !pair) return undefined;
  if (!pair.ready)
    return toast("Listen to both takes first. Press Space to play. Press Space again to switch between A and B.");
  const { a, b } = pair.heard_s;
  return alone(async () => {
    pair?.pause();
    receive(await post(path("/vote"), { choice, heard_a_s: a, heard_b_s: b }));
    record({ words: "vote", back: undo, isHere: () => stage() === "voted" });
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

/** On to the names of what was voted on, or else to the next pair. */
function advance() {
  if (stage() === "voted") return reveal();
  if (stage() === "sealed" && !desk?.pairs) return announce("No pairs left.");
  return stage() === "open" || !desk ? undefined : next();
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
 * One thing at a time: a key pressed twice does nothing more. Resolves to whether it was done.
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
 * What is refused is said, and what is there instead is shown. Resolves to whether it was done.
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
