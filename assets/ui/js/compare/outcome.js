/** The result of a trial after the vote: the names, engines and settings of both takes. */
import * as player from "../audio/player.js";
import { playAll, progress, stopAll } from "../audio/playlist.js";
import { Waveform } from "../audio/waveform.js";
import { openKeeper } from "../champions/editor.js";
import { h, icon } from "../core/dom.js";
import { setting } from "../core/format.js";
import { heardDetails, lostWords } from "../takes/heard.js";
import { OTHER, SIDES } from "./pair.js";
import { armWords } from "./results.js";

/** @import { Pair } from "./pair.js" */
/** @typedef {{pair: Pair, trial: Trial, switchTo: (side: Side) => unknown}} Sealed */

/** @type {Record<string, string>} */
const OTHERWISE = {
  text: "The takes have different texts.",
  clip_id: "The takes use different clips.",
  champion: "The takes use different champions.",
  version: "The takes use different versions of the champion.",
  start_s: "The takes use different parts of the clip.",
  end_s: "The takes use different parts of the clip.",
  transcript: "The clips have different transcripts.",
};

export class Outcome {
  /**
   * @param {Sealed & {line: HTMLElement, pairs: number, advance: () => unknown}} what  `pairs`: how many more there are
   */
  constructor({ line, pairs, advance, ...sealed }) {
    this.trial = sealed.trial;
    this.cards = SIDES.map((side) => card(side, sealed));
    this.both = h("button.quiet.play-both", { type: "button", onclick: () => this.playBoth(sealed.pair) });
    this.element = h(
      "section.trial",
      { "aria-label": "Result of the vote" },
      line,
      h("p.lead.verdict", {}, verdict(this.trial)),
      h(
        "div.blind-sides",
        {},
        ...this.cards.map((card, at) =>
          h("div.side-column", {}, card, ...words(this.trial[SIDES[at]]), keep(this.trial, SIDES[at])),
        ),
      ),
      ...notes(this.trial).map((note) => h("p.hint", {}, note)),
      h(
        "div.outcome-acts",
        {},
        pairs > 0 && h("button.primary", { type: "button", onclick: advance }, "Next pair ", h("kbd", {}, "N")),
        this.both,
      ),
      !pairs &&
        h("p.hint", {}, "No pairs left. To get more pairs, speak a line with another engine or other settings."),
    );
    this.draw();
  }

  /** Mark the card whose take is playing, and update the Play button. */
  draw() {
    const sounds = SIDES.map((side) => player.playing() === this.trial[side].sound);
    for (const [at, card] of this.cards.entries()) card.classList.toggle("heard", sounds[at]);
    const now = progress();
    this.both.replaceChildren(
      icon(now ? "stop" : "through"),
      now ? "Stop" : "Play A, then B",
      " ",
      h("kbd", {}, "Space"),
    );
  }

  /** Play A, then B; stop if they already play. @param {Pair} pair */
  playBoth(pair) {
    if (progress()) return stopAll();
    const load = async (/** @type {Side} */ side) => (pair.tracks ?? (await pair.fetch()))[side];
    return playAll(SIDES.map((side) => ({ key: this.trial[side].sound, load: () => load(side) })));
  }
}

/**
 * Describe the lost words of a take, or say that all words are heard; nothing if the take was not checked.
 * @param {TrialSide} side
 */
function words({ heard }) {
  if (!heard) return [];
  const lost = lostWords(heard);
  return [h("p.side-words", {}, lost ? icon("warn") : null, lost || heardDetails(heard)[0])];
}

/** @param {Trial} trial @param {Side} side */
function keep(trial, side) {
  const onclick = () => openKeeper(trial[side].take);
  const look = trial.choice === side ? "button.primary.small" : "button.quiet.small";
  return h(look, { type: "button", "data-owners": true, onclick }, icon("champion"), "Keep as champion");
}

/** @param {Trial} trial */
function notes({ differs, repeats, counts }) {
  const differences = [...new Set(differs.map((name) => OTHERWISE[name]).filter(Boolean))];
  if (repeats) return [...differences, "Vote saved but not counted. You already voted on these two takes."];
  if (counts) return differences;
  return [
    ...differences,
    "Vote saved but not counted. A vote counts only if both takes have the same text and voice, but different engines or settings.",
  ];
}

/** @param {Trial} trial */
function verdict(trial) {
  const names = { a: nameOf(trial, "a"), b: nameOf(trial, "b") };
  const { choice } = trial;
  if (choice !== "a" && choice !== "b") return `No preference between ${names.a} and ${names.b}.`;
  return `You preferred ${choice.toUpperCase()} (${names[choice]}) over ${OTHER[choice].toUpperCase()} (${names[OTHER[choice]]}).`;
}

/**
 * Return a side's engine and the settings that differ from the other side. The seed is named only if it alone differs.
 * @param {Trial} trial @param {Side} side
 */
function nameOf(trial, side) {
  const { engine, checkpoint, settings } = trial[side];
  const apart = trial.differs.filter((name) => name !== "seed" || trial.differs.length === 1);
  return armWords({
    engine,
    checkpoint: apart.includes("checkpoint") ? checkpoint : "",
    settings: Object.fromEntries(Object.entries(settings).filter(([name]) => apart.includes(name))),
  });
}

/** @param {Side} side @param {Sealed} sealed */
function card(side, { trial, pair, switchTo }) {
  const { engine, checkpoint, settings } = trial[side];
  const waveform = new Waveform({ bar: 2, gap: 1 }).show({ peaks: pair.peaks(side) });
  const fact = (/** @type {string} */ name, /** @type {string} */ words) =>
    h(`span.fact${trial.differs.includes(name) ? ".differs" : ""}`, {}, words);
  const won = trial.choice === side;
  return h(
    `button.blind-side.revealed${won ? ".won" : ""}`,
    { type: "button", onclick: () => switchTo(side), title: "Play again" },
    h("span.letter", {}, side.toUpperCase()),
    h("span.heard-state", {}, ...(won ? [icon("check"), "your choice"] : [])),
    waveform.element,
    h(
      "span.facts",
      {},
      fact("engine", armWords({ engine })),
      fact("checkpoint", checkpoint),
      ...Object.entries(settings)
        .filter(([name, value]) => value !== null || trial.differs.includes(name))
        .map(([name, value]) => fact(name, setting(name, value))),
    ),
  );
}
