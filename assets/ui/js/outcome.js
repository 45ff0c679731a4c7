/** After the vote: which take was which, and with what it was made. */
import { h, icon } from "./dom.js";
import { SIDES } from "./pair.js";
import { armWords, settingWords } from "./tally.js";
import { Waveform } from "./waveform.js";

const OTHERWISE = {
  text: "They say different lines.",
  clip_id: "They speak with different clips.",
  champion: "They speak with different champions.",
  version: "They speak with different versions of the champion.",
  start_s: "They use different parts of the clip.",
  end_s: "They use different parts of the clip.",
  transcript: "Their clips have different transcripts.",
};

export function outcome({ trial, pairs }, pair, { hear, goOn }) {
  const notes = [...new Set(trial.differs.map((name) => OTHERWISE[name]).filter(Boolean))];
  if (trial.repeats) notes.push("Kept, but not counted in the results: these two takes had your vote before.");
  else if (!trial.counts) notes.push("Kept, but not counted in the results: this was not one line made in two ways.");
  return h(
    "section.trial",
    { "aria-label": "Outcome" },
    h("p.lead.verdict", {}, verdict(trial)),
    h("div.blind-sides", {}, ...SIDES.map((side) => card(trial, pair, side, hear))),
    ...notes.map((note) => h("p.hint", {}, note)),
    pairs
      ? h("button.primary.go-on", { type: "button", onclick: goOn }, "Next pair ", h("kbd", {}, "N"))
      : h("p.hint", {}, "No pair is left. Speak the line again to get more."),
  );
}

function verdict(trial) {
  const names = { a: nameOf(trial, "a"), b: nameOf(trial, "b") };
  if (trial.choice === "tie") return `No preference between ${names.a} and ${names.b}.`;
  const lost = trial.choice === "a" ? "b" : "a";
  return `You preferred ${trial.choice.toUpperCase()}: ${names[trial.choice]}, to ${names[lost]}.`;
}

/** Its engine, and of the rest what sets it apart; the seed only where nothing else does. */
function nameOf(trial, side) {
  const { engine, checkpoint, settings } = trial[side];
  const apart = trial.differs.filter((name) => name !== "seed" || trial.differs.length === 1);
  return armWords({
    engine,
    checkpoint: apart.includes("checkpoint") ? checkpoint : "",
    settings: Object.fromEntries(Object.entries(settings).filter(([name]) => apart.includes(name))),
  });
}

function card(trial, pair, side, hear) {
  const { engine, checkpoint, settings } = trial[side];
  const waveform = new Waveform({ bar: 2, gap: 1 });
  if (pair.tracks) waveform.show({ peaks: pair.peaks(side) });
  const fact = (name, words) => h(`span.fact${trial.differs.includes(name) ? ".differs" : ""}`, {}, words);
  const won = trial.choice === side;
  return h(
    `button.blind-side.told${won ? ".won" : ""}`,
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
        .map(([name, value]) => fact(name, settingWords(name, value))),
    ),
  );
}
