/** An open trial on screen: two unnamed sides, one timeline for both, and a vote that opens once both were heard. */
import { seekable } from "../audio/waveform.js";
import { h, icon, iconButton } from "../core/dom.js";
import { clock } from "../core/format.js";
import { SIDES } from "./pair.js";

/** @import { Pair } from "./pair.js" */
/**
 * What the presses do.
 * @typedef {object} Acts
 * @property {(side: Side) => unknown} hear
 * @property {(choice: Choice) => unknown} vote
 * @property {() => unknown} undo @property {() => unknown} reveal @property {() => unknown} leave
 * @property {(() => unknown) | null} skip  null where no other pair waits
 */

const WORDS = { a: "A is better", tie: "No preference", b: "B is better" };
/** @type {[Choice, string][]} */
const VOTES = [
  ["a", "A"],
  ["tie", "X"],
  ["b", "B"],
];
export const REVEAL_MS = 4000; // until then a vote can be taken back

export class Ballot {
  /** @param {Pair} pair @param {Acts} acts @param {HTMLElement} line  what both say */
  constructor(pair, acts, line) {
    this.pair = pair;
    this.cards = SIDES.map((side) => sideCard(side, acts.hear));
    this.play = iconButton("play", "Play", () => (pair.playing ? pair.pause() : acts.hear(pair.side)));
    this.play.classList.add("play");
    this.time = h("span.readout.time");
    this.fill = h("i");
    this.hint = h("p.hint");
    this.votes = VOTES.map((vote) => voteButton(vote, acts.vote));
    const timeline = this.#timeline();
    this.element = h(
      "section.trial",
      { "aria-label": "Blind trial" },
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
    element.addEventListener("pointerup", () => element.blur()); // Space stays with the page
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
        ["Space", "play; press again to switch"],
        ["←", "A"],
        ["→", "B"],
        ["Esc", "pause"],
      ]),
      keyLine("Keys to vote, after you hear both takes", [
        ["A", "A is better"],
        ["X", "no preference"],
        ["B", "B is better"],
      ]),
      h(
        "div.asides",
        {},
        skip && h("button.link", { type: "button", onclick: skip }, "Skip pair"),
        h("button.link", { type: "button", onclick: leave }, "Leave trial"),
      ),
    );
  }

  /** What a press changes, and hearing enough of a side. */
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

/** @param {Side} side @param {(side: Side) => unknown} hear */
function sideCard(side, hear) {
  const state = h("span.heard-state");
  const onclick = (/** @type {MouseEvent} */ { detail }) => {
    if (detail) element.blur(); // a pointer's press leaves Space to the page
    hear(side);
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

/** @param {[Choice, string]} vote  and its key @param {(choice: Choice) => unknown} act */
function voteButton([choice, key], act) {
  return h("button.quiet.vote", { type: "button", onclick: () => act(choice) }, WORDS[choice], " ", h("kbd", {}, key));
}

/**
 * The vote is on the disk; for a moment it can be taken back, since nobody knows yet what it was for.
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

/** @param {string} title @param {string[][]} keys  and what they do */
function keyLine(title, keys) {
  return h(
    "p.key-line",
    {},
    h("span.key-title", {}, title),
    ...keys.map(([key, does]) => h("span.key", {}, h("kbd", {}, key), ` ${does}`)),
  );
}
