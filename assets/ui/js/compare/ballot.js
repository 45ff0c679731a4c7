/**
 * The view of an open trial: two unnamed sides, one timeline for both, and a vote that is enabled once both were
 * played.
 */
import { seekable } from "../audio/waveform.js";
import { h, icon, iconButton } from "../core/dom.js";
import { clock } from "../core/format.js";
import { SIDES } from "./pair.js";

/** @import { Pair } from "./pair.js" */
/**
 * The actions of the buttons and keys.
 * @typedef {object} Acts
 * @property {(side: Side) => unknown} switchTo
 * @property {(choice: Choice) => unknown} vote
 * @property {() => unknown} undo @property {() => unknown} reveal @property {() => unknown} leave
 * @property {(() => unknown) | null} skip  null if there is no other pair
 */

const WORDS = { a: "A is better", tie: "No preference", b: "B is better" };
/** @type {[Choice, string][]} */
const VOTES = [
  ["a", "A"],
  ["tie", "X"],
  ["b", "B"],
];
export const REVEAL_MS = 4000; // time in which a vote can be undone

export class Ballot {
  /** @param {Pair} pair @param {Acts} acts @param {HTMLElement} line  element with the text of both takes */
  constructor(pair, acts, line) {
    this.pair = pair;
    this.cards = SIDES.map((side) => sideCard(side, acts.switchTo));
    this.play = iconButton("play", "Play", () => (pair.playing ? pair.pause() : acts.switchTo(pair.side)));
    this.play.classList.add("play");
    this.time = h("span.readout.time");
    this.fill = h("i");
    this.hint = h("p.hint");
    this.votes = VOTES.map((vote) => voteButton(vote, acts.vote));
    const timeline = this.#timeline();
    this.element = h(
      "section.trial",
      { "aria-label": "Blind comparison" },
      line,
      h("div.blind-sides", {}, ...this.cards.map(({ element }) => element)),
      h("div.timeline-row", {}, this.play, timeline, this.time),
      pair.trial.stage === "voted" ? kept(pair.trial.choice ?? "tie", acts) : this.#question(acts),
    );
  }

  #timeline() {
    const { pair } = this;
    const element = h("div.timeline", {}, h("div.progress", {}, this.fill));
    this.updateSlider = seekable({ element }, "Position in both takes", {
      at: () => pair.position,
      length: () => pair.duration,
      seek: (at_s) => pair.seek(at_s),
      words: () => `${clock(pair.position)} of ${clock(pair.duration)}`,
    });
    element.addEventListener("pointerup", () => element.blur()); // the Space key stays a shortcut of the page
    return element;
  }

  /** @param {Acts} acts */
  #question({ skip, leave }) {
    return h(
      "div.question",
      {},
      h("div.votes", { role: "group", "aria-label": "Your vote" }, ...this.votes),
      this.hint,
      this.pair.trial.repeats && h("p.hint", {}, "You already voted on these two takes. This vote will not count."),
      keyLine("Keys to listen", [
        ["Space", "play; press again to switch between A and B"],
        ["←", "A"],
        ["→", "B"],
        ["Esc", "pause"],
      ]),
      keyLine("Keys to vote, after you have listened to both takes", [
        ["A", "A is better"],
        ["X", "no preference"],
        ["B", "B is better"],
      ]),
      h(
        "div.asides",
        {},
        skip && h("button.link", { type: "button", onclick: skip }, "Skip pair"),
        h("button.link", { type: "button", onclick: leave }, "Leave comparison"),
      ),
    );
  }

  /** Update the buttons and the state of each side. */
  draw() {
    const { pair } = this;
    for (const { side, element, state } of this.cards) {
      element.setAttribute("aria-pressed", String(pair.side === side));
      element.classList.toggle("heard", pair.side === side);
      state.replaceChildren(...(pair.wasHeard(side) ? [icon("check"), "heard"] : ["not heard yet"]));
    }
    this.play.replaceChildren(icon(pair.playing ? "pause" : "play"));
    this.play.setAttribute("aria-label", pair.playing ? "Pause" : "Play");
    for (const button of this.votes) button.disabled = !pair.ready;
    this.hint.textContent = hint(pair);
    this.drawPlayhead();
  }

  drawPlayhead() {
    const { position, duration } = this.pair;
    this.fill.style.transform = `scaleX(${duration ? position / duration : 0})`;
    this.time.textContent = `${clock(position)} / ${clock(duration)}`;
    this.updateSlider?.();
  }
}

/** @param {Side} side @param {(side: Side) => unknown} switchTo */
function sideCard(side, switchTo) {
  const state = h("span.heard-state");
  const onclick = (/** @type {MouseEvent} */ { detail }) => {
    if (detail) element.blur(); // after a click, the Space key stays a shortcut of the page
    switchTo(side);
  };
  const letter = h("span.letter", {}, side.toUpperCase());
  const element = h("button.blind-side", { type: "button", onclick }, letter, state);
  return { side, element, state };
}

/** @param {Pair} pair */
function hint({ tracks, ready }) {
  if (!tracks) return "Loading both takes…";
  if (ready) return "You can vote now. The names stay hidden until you vote.";
  return "To vote, listen to at least 1 s of A and 1 s of B. Both have equal loudness.";
}

/** @param {[Choice, string]} vote  the choice and its key @param {(choice: Choice) => unknown} act */
function voteButton([choice, key], act) {
  return h("button.quiet.vote", { type: "button", onclick: () => act(choice) }, WORDS[choice], " ", h("kbd", {}, key));
}

/**
 * Return the view after the vote. The vote is saved; it can be undone until the names are shown.
 * @param {Choice} choice @param {Acts} acts
 */
function kept(choice, { undo, reveal }) {
  return h(
    "div.question.kept",
    {},
    h("p.lead", {}, icon("check"), `Vote saved: ${WORDS[choice]}.`),
    h("div.fuse", { "aria-hidden": "true" }, h("i", { style: `animation-duration: ${REVEAL_MS}ms` })),
    h(
      "div.votes",
      {},
      h("button.quiet", { type: "button", onclick: undo }, "Undo vote ", h("kbd", {}, "U")),
      h("button.primary", { type: "button", onclick: reveal }, "Show names ", h("kbd", {}, "N")),
    ),
  );
}

/** @param {string} title @param {string[][]} keys  pairs of a key and its action */
function keyLine(title, keys) {
  return h(
    "p.key-line",
    {},
    h("span.key-title", {}, title),
    ...keys.map(([key, does]) => h("span.key", {}, h("kbd", {}, key), ` ${does}`)),
  );
}
