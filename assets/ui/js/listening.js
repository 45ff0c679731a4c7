/** The Compare page: one blind trial after another, and what the votes add up to. */
import { follow, on } from "./bus.js";
import { announce, h } from "./dom.js";
import { Ballot, REVEAL_MS } from "./ballot.js";
import { outcome } from "./outcome.js";
import { page } from "./pages.js";
import { Pair } from "./pair.js";
import { get, post, remove } from "./server.js";
import { results } from "./tally.js";
import { toast } from "./toast.js";
import { plural } from "./words.js";

let stage = null; // element
let desk = null; // the trial, how many pairs wait, the results; as the server tells them
let pair = null;
let ballot = null;
let revealing = 0; // timer
let busy = false;

export function mount(element) {
  stage = h("div.listening");
  element.append(stage);
  follow("page", () => (page() === "compare" ? enterPage() : leavePage()));
  follow(["player", "pair"], () => ballot?.draw());
  follow("playhead", () => ballot?.drawPlayhead());
  on("pair-heard", () => pair.ready && announce("Both sides were heard. Vote with A, B, or X for no preference."));
}

/** Hear two takes blind: the door for whoever has two, from wherever on the page. Resolves to whether a trial began. */
export function compareBlind(take_a, take_b) {
  return doing(async () => {
    receive(await post("/studio/trials", { take_a, take_b }));
    location.hash = "#compare";
  });
}

/** Keys of this page; see keys.js. */
export const KEYS = {
  " ": () => pair && (pair.playing ? hear(pair.side === "a" ? "b" : "a") : hear(pair.side)),
  ArrowLeft: () => pair && hear("a"),
  ArrowRight: () => pair && hear("b"),
  Escape: () => pair?.pause(),
  a: () => vote("a"),
  b: () => vote("b"),
  x: () => vote("tie"),
  u: () => undo(),
  n: () => goOn(),
  Enter: () => goOn(),
};

const at = () => desk?.trial?.stage ?? "none";

function enterPage() {
  if (desk) draw();
  return saying(async () => {
    const told = await get("/studio/trials");
    if (!busy) receive(told); // else what is being done is newer
  });
}

function leavePage() {
  clearTimeout(revealing); // begins anew on the way back, for who wants to see it
  pair?.pause();
  document.body.classList.remove("blind");
}

/** Put on the page what the server says. */
function receive(told) {
  const { trial } = told;
  clearTimeout(revealing);
  desk = told;
  if (trial?.id !== pair?.trial.id) {
    pair?.pause();
    pair = trial && new Pair(trial);
    if (pair) fetchSides(pair);
  } else if (pair) pair.trial = trial;
  if (at() === "voted") revealing = setTimeout(reveal, REVEAL_MS);
  draw();
}

/** So that the first press makes sound. A side whose take was deleted will never come. */
async function fetchSides(sides) {
  try {
    await sides.fetch();
  } catch (error) {
    sides.gone = error.status === 404 && sides.trial.stage === "open";
    if (!sides.gone) toast(error.message, { failed: true });
    else if (sides === pair) draw();
  }
}

function draw() {
  const blind = at() === "open" || at() === "voted";
  document.body.classList.toggle("blind", blind && page() === "compare");
  const focused = stage.contains(document.activeElement);
  const open = blind && !pair.gone;
  ballot = open ? new Ballot(pair, { hear, vote, undo, reveal, leave, skip: desk.pairs > 1 && next }) : null;
  const body = ballot?.element ?? (at() === "sealed" ? outcome(desk, pair, { hear, goOn }) : pair ? gone() : begin());
  stage.replaceChildren(
    h("h2.page-title", {}, "Compare"),
    body,
    ...(desk.tally?.length ? [results(desk.tally)] : []),
  );
  ballot?.draw();
  body.tabIndex = -1;
  if (focused) body.focus({ preventScroll: true });
}

/** The server ended the trial when it found a take missing, so that leaving is a look at what is there now. */
function gone() {
  return h(
    "section.begin",
    { "aria-label": "Blind trial", "aria-live": "polite" },
    h("p.lead", {}, "One of the two takes was deleted; leave this trial."),
    h("button.primary", { type: "button", onclick: enterPage }, "Leave the trial"),
  );
}

/** Before the first trial, and after the last. */
function begin() {
  const { pairs } = desk;
  if (pairs)
    return h(
      "section.begin",
      { "aria-label": "Next pair" },
      h("p.lead", {}, "Which do you prefer, not knowing which is which?"),
      h("p", {}, `${plural(pairs, "pair")} of takes wait to be heard: one line, made in two ways.`),
      h("button.primary", { type: "button", onclick: goOn }, "Next pair ", h("kbd", {}, "N")),
    );
  return h(
    "div.empty",
    {},
    h("p.lead", {}, "Hear two takes without knowing which is which, and vote."),
    h(
      "p",
      {},
      "Speak one line twice, with two engines or other settings: every such pair can be drawn here. ",
      "For any other two takes, choose both with Compare in the list of takes, then press Compare blind.",
    ),
    h("a.button", { href: "#speak" }, "Make takes"),
  );
}

function hear(side) {
  return saying(async () => {
    await pair.hear(side);
    announce(`Hearing ${side.toUpperCase()}.`);
  });
}

function vote(choice) {
  if (at() !== "open") return;
  if (!pair.ready) return toast("Hear both sides first: Space plays, then switches.");
  return doing(async () => {
    pair.pause();
    const { a, b } = pair.heard_s;
    receive(await post(`/studio/trials/${pair.trial.id}/vote`, { choice, heard_a_s: a, heard_b_s: b }));
    announce(`Vote kept: ${choice === "tie" ? "no preference" : choice.toUpperCase()}. Press U to take it back.`);
  });
}

function undo() {
  if (at() !== "voted") return;
  return doing(async () => {
    receive(await post(`/studio/trials/${pair.trial.id}/undo`));
    announce("Vote taken back.");
  });
}

function reveal() {
  return doing(async () => {
    receive(await post(`/studio/trials/${pair.trial.id}/reveal`));
    announce(stage.querySelector(".verdict").textContent);
  });
}

/** On to the names of what was voted on, or else to the next pair. */
function goOn() {
  if (at() === "voted") return reveal();
  if (at() === "open" || !desk) return;
  return next();
}

function next() {
  return doing(async () => {
    receive(await post("/studio/trials/next"));
    announce("A new pair. Space plays.");
  });
}

function leave() {
  return doing(async () => receive(await remove(`/studio/trials/${pair.trial.id}`)));
}

/** One thing at a time: a key pressed twice does nothing more. Resolves to whether it was done. */
async function doing(work) {
  if (busy) return false;
  busy = true;
  const done = await saying(work);
  busy = false;
  return done;
}

/** What is refused is said, and what is there instead is shown. */
async function saying(work) {
  try {
    await work();
    return true;
  } catch (error) {
    toast(error.message, { failed: true });
    if (error.status === 404 || error.status === 409) await get("/studio/trials").then(receive, () => {});
    return false;
  }
}
