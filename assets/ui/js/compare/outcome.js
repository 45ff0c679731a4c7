/** After the vote: which take was which, and with what it was made. */
import { Waveform } from "../audio/waveform.js";
import { h, icon } from "../core/dom.js";
import { setting } from "../core/format.js";
import { OTHER, SIDES } from "./pair.js";
import { armWords } from "./results.js";

/** @typedef {{pair: import("./pair.js").Pair, trial: Trial, hear: (side: Side) => unknown}} Sealed */

/** @type {Record<string, string>} */
const OTHERWISE = {
  text: "They say different lines.",
  clip_id: "They speak with different clips.",
  champion: "They speak with different champions.",
  version: "They speak with different versions of the champion.",
  start_s: "They use different parts of the clip.",
  end_s: "They use different parts of the clip.",
  transcript: "Their clips have different transcripts.",
};

/** @param {Sealed & {pairs: number, advance: () => unknown}} what  `pairs`: how many more wait */
export function outcome({ pairs, advance, ...sealed }) {
  const { trial } = sealed;
  return h(
    "section.trial",
    { "aria-label": "Outcome" },
    h("p.lead.verdict", {}, verdict(trial)),
    h("div.blind-sides", {}, ...SIDES.map((side) => card(side, sealed))),
    ...notes(trial).map((note) => h("p.hint", {}, note)),
    pairs
      ? h("button.primary.go-on", { type: "button", onclick: advance }, "Next pair ", h("kbd", {}, "N"))
      : h("p.hint", {}, "No pair is left. Speak the line again to get more."),
  );
}

/** @param {Trial} trial */
function notes({ differs, repeats, counts }) {
  const differences = [...new Set(differs.map((name) => OTHERWISE[name]).filter(Boolean))];
  if (repeats) return [...differences, "Kept, but not counted in the results: these two takes had your vote before."];
  if (counts) return differences;
  return [...differences, "Kept, but not counted in the results: this was not one line made in two ways."];
}

/** @param {Trial} trial */
function verdict(trial) {
  const names = { a: nameOf(trial, "a"), b: nameOf(trial, "b") };
  const { choice } = trial;
  if (choice !== "a" && choice !== "b") return `No preference between ${names.a} and ${names.b}.`;
  return `You preferred ${choice.toUpperCase()}: ${names[choice]}, to ${names[OTHER[choice]]}.`;
}

/**
 * Its engine, and of the rest what sets it apart; the seed only where nothing else does.
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
function card(side, { trial, pair, hear }) {
  const { engine, checkpoint, settings } = trial[side];
  const waveform = new Waveform({ bar: 2, gap: 1 }).show({ peaks: pair.peaks(side) });
  const fact = (/** @type {string} */ name, /** @type {string} */ words) =>
    h(`span.fact${trial.differs.includes(name) ? ".differs" : ""}`, {}, words);
  const won = trial.choice === side;
  return h(
    `button.blind-side.revealed${won ? ".won" : ""}`,
    { type: "button", onclick: () => hear(side), title: "Hear it again" },
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
