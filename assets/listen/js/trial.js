/** The view of a trial: the sounds, the question and the vote, which is possible once every sound was heard. */
import { choiceBallot, toneBallot } from "./choices.js";
import { Deck } from "./deck.js";
import { announce, h, keyButton } from "./dom.js";
import { audio, Player } from "./player.js";
import { sliderBallot, stepBallot } from "./scores.js";
import { load, soundsOf } from "./sounds.js";

/** @import { Answer, Ballot, State, Trial, View, Vote } from "./types.d.ts" */
/**
 * What the page does for a trial.
 * @typedef {object} Acts
 * @property {(vote: Vote) => unknown} vote @property {() => unknown} undo
 * @property {(error: unknown) => unknown} failed  the sounds could not be loaded
 */

/** @param {State} state @param {Trial} trial @param {Acts} acts @returns {View} */
export function trialView(state, trial, acts) {
  const heading = h("h2", { tabindex: "-1" }, questionOf(state));
  const stage = h("div.stage", {}, h("p.loading", {}, "Loading the sounds…"));
  const element = h(
    `section.trial.${state.stage}`,
    { "aria-label": placeOf(state) },
    h("div.ask", {}, heading, h("p.hint", {}, instructionOf(state))),
    trial.text && h("blockquote.line", {}, trial.text),
    stage,
    h("footer", {}, state.can_undo && keyButton("button.link", "Undo the last vote", "U", acts.undo)),
  );
  /** @type {TrialControls | null} */
  let controls = null;
  let left = false;
  load(audio(), soundsOf(trial))
    .then((tracks) => {
      if (left) return;
      controls = new TrialControls(state, trial, { tracks, vote: acts.vote });
      stage.replaceChildren(...controls.elements);
    })
    .catch((error) => left || acts.failed(error));
  return {
    element,
    focus: heading,
    key(key) {
      if (key !== "U" || !state.can_undo) return controls?.key(key) ?? false;
      acts.undo();
      return true;
    },
    leave() {
      left = true;
      controls?.player.close();
    },
  };
}

/** The name of the place in the session. @param {State} state */
export function placeOf({ stage, number, count, questions }) {
  const names = {
    headphones: "Headphone check",
    practice: "Practice",
    trials: "Trial",
    questions: questions.length ? "Questions" : "last page",
    done: "",
  };
  return stage === "questions" || stage === "done" ? names[stage] : `${names[stage]} ${number} of ${count}`;
}

/** @param {State} state */
function questionOf({ stage, method, question }) {
  if (stage === "headphones") return "Which tone is the quietest?";
  return method === "abx" ? "Is X the same as A or B?" : question;
}

/** @param {State} state */
function instructionOf({ stage, instruction, number }) {
  if (stage === "headphones") return "Put on your headphones and listen to each tone.";
  if (stage === "practice") return `${instruction} This is practice. Your votes do not count yet.`;
  return number === 1 ? `${instruction} From now on, your votes count.` : instruction;
}

/** The part of a trial that needs its sounds. */
class TrialControls {
  /**
   * @param {State} state @param {Trial} trial
   * @param {{tracks: import("./sounds.js").Track[], vote: Acts["vote"]}} options
   */
  constructor(state, trial, { tracks, vote }) {
    this.begun_ms = performance.now();
    this.trial = trial;
    this.vote = vote;
    this.player = new Player(tracks, { onchange: () => this.draw() });
    this.deck = new Deck(this.player, state, trial.must_hear_s);
    this.player.audible = trial.sounds[0].name;
    this.ballot = this.#ballot(state);
    this.reason = h("p.reason", { id: "reason" });
    this.wasReady = false;
    this.draw();
  }

  get elements() {
    const { deck, ballot, reason } = this;
    const apart = new Set(ballot.element.querySelectorAll(".sound")); // MUSHRA: beside the sliders
    const buttons = [...deck.buttons.values()].map(({ element }) => element).filter((button) => !apart.has(button));
    const sounds =
      buttons.length > 0 && !deck.only && h("div.sounds", { role: "group", "aria-label": "Sounds" }, ...buttons);
    return [sounds, deck.transport, reason, ballot.element].filter((element) => element !== false);
  }

  /** @param {State} state @returns {Ballot} */
  #ballot(state) {
    const { trial, deck } = this;
    const cast = (/** @type {Answer} */ answer) => this.#cast(answer);
    if (state.stage === "headphones") return toneBallot(deck, trial.choices, cast);
    if (state.method === "mos") return stepBallot(trial, deck, cast);
    if (state.method === "mushra") return sliderBallot(trial, deck, cast);
    return choiceBallot(state, trial.choices, cast);
  }

  /** Return what the listener has to do before a vote, or null. */
  get obstacle() {
    const { deck, player } = this;
    const missing = player.tracks.map(({ name }) => name).filter((name) => !deck.wasHeard(name));
    if (!missing.length) return null;
    const [name] = missing;
    if (missing.length === 1 && player.playing && player.audible === name) return "Listen a little longer.";
    if (deck.only) return "Listen to the sound first.";
    const tones = missing.length === 1 ? "tone " : "tones ";
    const words = missing.map((name) => (name === "Reference" ? "the reference" : name));
    return `Listen to ${deck.test ? tones : ""}${listed(words)} first.`;
  }

  /** @param {Answer} answer */
  #cast(answer) {
    const { obstacle, player, trial, begun_ms } = this;
    if (obstacle) return announce(obstacle);
    player.pause();
    const heard_s = Object.fromEntries(Object.entries(player.heard_s).map(([name, time]) => [name, rounded(time)]));
    return this.vote({ trial: trial.id, ...answer, heard_s, took_s: rounded((performance.now() - begun_ms) / 1000) });
  }

  /** @param {string} key */
  key(key) {
    return this.ballot.key(key) || this.deck.key(key);
  }

  draw() {
    if (!this.ballot) return; // not complete yet
    const { obstacle } = this;
    this.deck.draw();
    this.ballot.draw(obstacle);
    const words = obstacle ?? "You can vote now.";
    if (this.reason.textContent !== words) this.reason.textContent = words;
    this.reason.classList.toggle("ready", obstacle === null);
    if (obstacle === null && !this.wasReady) announce(words);
    this.wasReady = obstacle === null;
  }
}

/** @param {string[]} names */
function listed(names) {
  return names.length === 1 ? names[0] : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** @param {number} time_s */
function rounded(time_s) {
  return Math.round(100 * time_s) / 100;
}
