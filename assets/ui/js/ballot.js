/** An open trial on screen: two unnamed sides, one timeline for both, and a vote that opens once both were heard. */
import { h, icon, iconButton } from "./dom.js";
import { SIDES } from "./pair.js";
import { seekable } from "./waveform.js";
import { clock } from "./words.js";

const VOTES = [
  ["a", "A", "A is better"],
  ["tie", "X", "No preference"],
  ["b", "B", "B is better"],
];
const WORDS = Object.fromEntries(VOTES.map(([choice, , words]) => [choice, words]));
export const REVEAL_MS = 4000; // until then a vote can be taken back

export class Ballot {
  /** @param {import("./pair.js").Pair} pair  @param acts  what the presses do */
  constructor(pair, acts) {
    this.pair = pair;
    this.cards = SIDES.map((side) => this.#card(side, acts.hear));
    this.play = iconButton("play", "Play", () => (pair.playing ? pair.pause() : acts.hear(pair.side)));
    this.play.classList.add("play");
    this.time = h("span.readout.time");
    this.votes = VOTES.map((vote) => voteButton(vote, acts.vote));
    this.element = h(
      "section.trial",
      { "aria-label": "Blind trial" },
      h("div.blind-sides", {}, ...this.cards.map(({ element }) => element)),
      h("div.timeline-row", {}, this.play, this.#timeline(), this.time),
      pair.trial.stage === "voted" ? kept(pair.trial.choice, acts) : this.#question(acts),
    );
  }

  #card(side, hear) {
    const state = h("span.heard-state");
    const press = (event) => {
      if (event.detail) event.currentTarget.blur(); // a pointer's press leaves Space to the page
      hear(side);
    };
    const element = h(
      "button.blind-side",
      { type: "button", onclick: press },
      h("span.letter", {}, side.toUpperCase()),
      state,
    );
    return { side, element, state };
  }

  #timeline() {
    const { pair } = this;
    this.fill = h("i");
    const element = h("div.timeline", {}, h("div.progress", {}, this.fill));
    this.tell = seekable({ element }, "Position in both sides", {
      at: () => pair.position,
      length: () => pair.duration,
      seek: (at_s) => pair.seek(at_s),
      words: () => `${clock(pair.position)} of ${clock(pair.duration)}`,
    });
    element.addEventListener("pointerup", () => element.blur()); // Space stays with the page
    return element;
  }

  #question({ skip, leave }) {
    this.hint = h("p.hint");
    return h(
      "div.question",
      {},
      h("div.votes", { role: "group", "aria-label": "Your vote" }, ...this.votes),
      this.hint,
      this.pair.trial.repeats && h("p.hint", {}, "You have voted on these two takes before: this vote will not count."),
      keyLine("Keys to listen", [["Space", "play, then switch sides"], ["←", "A"], ["→", "B"], ["Esc", "pause"]]),
      keyLine("Keys to vote, once both were heard", [["A", "A is better"], ["X", "no preference"], ["B", "B is better"]]),
      h(
        "div.asides",
        {},
        skip && h("button.link", { type: "button", onclick: skip }, "Skip this pair"),
        h("button.link", { type: "button", onclick: leave }, "Leave the trial"),
      ),
    );
  }

  /** What a press changes, and hearing enough of a side. */
  draw() {
    const { pair } = this;
    for (const { side, element, state } of this.cards) {
      const heard = pair.wasHeard(side);
      element.setAttribute("aria-pressed", String(pair.side === side));
      element.classList.toggle("heard", pair.side === side);
      state.replaceChildren(...(heard ? [icon("check"), "heard"] : ["not heard yet"]));
    }
    this.play.replaceChildren(icon(pair.playing ? "pause" : "play"));
    this.play.setAttribute("aria-label", pair.playing ? "Pause" : "Play");
    for (const button of this.votes) button.disabled = !pair.ready;
    if (this.hint) this.hint.textContent = hint(pair);
    this.drawPlayhead();
  }

  drawPlayhead() {
    const { position, duration } = this.pair;
    this.fill.style.transform = `scaleX(${duration ? position / duration : 0})`;
    this.time.textContent = `${clock(position)} / ${clock(duration)}`;
    this.tell();
  }
}

function hint({ tracks, ready }) {
  if (!tracks) return "Fetching both sides.";
  if (ready) return "Voting is open. Nobody is told which is which before your vote is kept.";
  return "Voting opens once you have heard a second of each side. Both are equally loud.";
}

function voteButton([choice, key, words], vote) {
  return h("button.quiet.vote", { type: "button", onclick: () => vote(choice) }, words, " ", h("kbd", {}, key));
}

/** The vote is on the disk; for a moment it can be taken back, since nobody knows yet what it was for. */
function kept(choice, { undo, reveal }) {
  return h(
    "div.question.kept",
    {},
    h("p.lead", {}, icon("check"), `Vote kept: ${WORDS[choice]}.`),
    h("div.fuse", { "aria-hidden": "true" }, h("i", { style: `animation-duration: ${REVEAL_MS}ms` })),
    h(
      "div.votes",
      {},
      h("button.quiet", { type: "button", onclick: undo }, "Take it back ", h("kbd", {}, "U")),
      h("button.primary", { type: "button", onclick: reveal }, "Show which was which ", h("kbd", {}, "N")),
    ),
  );
}

function keyLine(title, keys) {
  return h(
    "p.key-line",
    {},
    h("span.key-title", {}, title),
    ...keys.map(([key, does]) => h("span.key", {}, h("kbd", {}, key), ` ${does}`)),
  );
}
