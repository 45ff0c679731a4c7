/** Votes by scores: five steps of quality (MOS), or a scale from 0 to 100 for each sound (MUSHRA). */
import { h, keyButton } from "./dom.js";
import { draft, keepDraft } from "./storage.js";

/** @import { Deck } from "./deck.js" */
/** @import { Answer, Ballot, Trial } from "./types.d.ts" */

const STEPS = ["Bad", "Poor", "Fair", "Good", "Excellent"]; // ITU-T P.800 and ITU-R BS.1534
const MIDDLE = 50;

/** The scores of a trial so far, kept until they are sent. */
class Scores {
  /** @param {Trial} trial @param {Deck} deck */
  constructor(trial, deck) {
    this.trial = trial;
    this.deck = deck;
    this.names = trial.sounds.map(({ name }) => name);
    /** @type {Record<string, number>} */ this.values = draft(trial.id);
  }

  /** @param {string} name @param {number} value */
  set(name, value) {
    this.values[name] = value;
    keepDraft(this.trial.id, this.values);
  }

  /** Return what is left to do, or null. */
  get missing() {
    const missing = this.names.filter((name) => this.values[name] === undefined);
    if (!missing.length) return null;
    return this.names.length === 1 ? "Choose a score." : `Give a score to ${missing.join(", ")}.`;
  }
}

/** @param {Scores} scores @param {(answer: Answer) => unknown} vote */
function submitter(scores, vote) {
  const submit = () => {
    if (!scores.missing) vote({ scores: { ...scores.values } });
  };
  const button = keyButton("button.primary", "Submit", "Enter", submit, {
    "aria-describedby": "reason missing",
    "aria-keyshortcuts": "Enter",
  });
  const missing = h("p.hint", { id: "missing" });
  const element = h("div.submit", {}, button, missing);
  const draw = (/** @type {string | null} */ reason) => {
    button.disabled = reason !== null || scores.missing !== null;
    missing.textContent = reason === null ? scores.missing : "";
  };
  return { element, draw, submit };
}

/**
 * Five steps for each sound. Digits score the sound that played last.
 * @param {Trial} trial @param {Deck} deck @param {(answer: Answer) => unknown} vote @returns {Ballot}
 */
export function stepBallot(trial, deck, vote) {
  const scores = new Scores(trial, deck);
  const submit = submitter(scores, vote);
  let locked = true;
  const rows = scores.names.map((name) => stepRow(name, scores, () => submit.draw(null)));
  return {
    element: h("div.scores", {}, ...rows.map(({ element }) => element), submit.element),
    draw(reason) {
      locked = reason !== null;
      for (const { fields } of rows) fields.disabled = locked;
      submit.draw(reason);
    },
    key(pressed) {
      const row = rows.find(({ name }) => name === deck.player.audible) ?? rows[0];
      if (pressed === "Enter") submit.submit();
      else if (/^[1-5]$/.test(pressed)) row.choose(Number(pressed));
      else return false;
      return true;
    },
  };
}

/** @param {string} name @param {Scores} scores @param {() => void} changed */
function stepRow(name, scores, changed) {
  const inputs = STEPS.map((_, step) => {
    const value = step + 1;
    const onchange = () => {
      scores.set(name, value);
      changed();
    };
    return h("input", {
      type: "radio",
      name: `score ${name}`,
      value,
      onchange,
      checked: scores.values[name] === value,
    });
  });
  const labels = STEPS.map((word, step) =>
    h("label.step", {}, inputs[step], h("span.number", {}, step + 1), h("span.word", {}, word)),
  );
  const legend = scores.names.length === 1 ? "Your score" : `Your score for ${name}`;
  const fields = h(
    "fieldset.steps",
    { "aria-describedby": "reason" },
    h("legend", {}, legend),
    h("div.row", {}, ...labels),
  );
  const choose = (/** @type {number} */ value) => inputs[value - 1].click();
  return { name, element: fields, fields, choose };
}

/**
 * A slider for each sound, with the button that plays the sound.
 * @param {Trial} trial @param {Deck} deck @param {(answer: Answer) => unknown} vote @returns {Ballot}
 */
export function sliderBallot(trial, deck, vote) {
  const scores = new Scores(trial, deck);
  const submit = submitter(scores, vote);
  let reason = /** @type {string | null} */ ("");
  const rows = scores.names.map((name) => sliderRow(name, { scores, deck, changed: () => submit.draw(reason) }));
  const scale = h("div.scale", { "aria-hidden": "true" }, ...STEPS.map((word) => h("span", {}, word)));
  const hint = "Set each slider. To keep a slider where it is, tap its handle or press Enter.";
  return {
    element: h("div.scores", {}, h("p.hint", {}, hint), h("div.sliders", {}, scale, ...rows), submit.element),
    draw(now) {
      reason = now;
      submit.draw(reason);
    },
    key(pressed) {
      if (pressed === "Enter") submit.submit();
      return pressed === "Enter";
    },
  };
}

/** @param {string} name @param {{scores: Scores, deck: Deck, changed: () => void}} parts */
function sliderRow(name, { scores, deck, changed }) {
  const row = h("div.slider-row");
  const number = h("span.number", { "aria-hidden": "true" });
  const range = { type: "range", min: 0, max: 100, step: 1, value: scores.values[name] ?? MIDDLE };
  const slider = h("input", { ...range, "aria-label": `Score of ${name}` });
  const draw = () => {
    const given = scores.values[name] !== undefined;
    number.textContent = given ? slider.value : "–";
    row.classList.toggle("given", given);
    const meaning = given ? bandOf(Number(slider.value)) : "not confirmed";
    slider.setAttribute("aria-valuetext", `${slider.value}, ${meaning}`);
  };
  const confirm = () => {
    scores.set(name, Number(slider.value));
    draw();
    changed();
  };
  slider.addEventListener("input", confirm);
  slider.addEventListener("pointerup", confirm); // also where the slider already is
  slider.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || scores.values[name] !== undefined) return;
    event.preventDefault();
    confirm();
  });
  row.append(deck.buttons.get(name)?.element ?? "", h("div.track", {}, slider), number);
  draw();
  return row;
}

/** @param {number} value */
function bandOf(value) {
  return STEPS[Math.min(STEPS.length - 1, Math.floor(value / 20))];
}
