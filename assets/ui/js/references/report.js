/** The report below the transcript: problems of the reference, each with a button that repairs it. */
import { follow, on } from "../core/bus.js";
import { h, icon } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import * as fields from "../core/fields.js";
import { post, reason } from "../core/server.js";
import { state } from "../core/state.js";
import { debounced } from "../core/timing.js";
import { activity, TRANSCRIBING } from "./activity.js";
import { doubtList } from "./doubts.js";
import { MENDS, mend, transcribe } from "./mends.js";
import { isTyped } from "./transcripts.js";

/** @typedef {{about: string, checks: Promise<Check[]>, accepted: boolean, found?: Check[]}} Report */

const SIGNS = /** @type {const} */ ({ ok: "check", warn: "warn", fail: "fail" });
/** Titles of checks whose name differs from the report's. @type {Record<string, string>} */
const TITLES = { duration: "length" };
const OF_WORDS = new Set(["transcript", "speech rate"]); // checks that need the transcript
const SPOKEN = { ok: "fine", warn: "warning", fail: "not usable" };

// Noise is reduced only at a good level: the gate would remove the voice of a quiet clip.
const ORDER = ["mono", "normalise", "trim", "high_pass", "denoise"];

/** The latest report on the current reference. @type {Report | null} */
let latest = null;

/** Return the failed check of the current reference; null if there is none, or the user accepted it. */
export async function failedCheck() {
  if (!state.voice || state.champion || !isTyped()) return null; // a proposed transcript needs no check
  const { accepted, checks } = reportOn(state.voice);
  const found = await checks.catch(() => []); // the report shows the error, and speaking may still work
  return accepted ? null : (found.find((check) => check.state === "fail") ?? null);
}

/** Accept the current reference in spite of a failed check ("Speak anyway"). */
export function acceptReference() {
  if (state.voice) reportOn(state.voice).accepted = true;
}

/** @param {HTMLElement} element */
export function mount(element) {
  const listen = h("button.quiet.transcribe", { type: "button", onclick: transcribe }, icon("words"), "Transcribe");
  const work = h("p.busy", { role: "status", hidden: true });
  const problems = h("ul.problems", { "aria-label": "Problems of the reference" });
  const chips = h("ul.chips", { "aria-label": "Passed checks of the reference" });
  element.append(h("div.report", {}, doubtList(), listen, work, problems, chips));
  const soon = debounced(300, () => examine(problems, chips));
  follow(STATE.voice, () => soon());
  on(EVENT.heard, () => {
    latest = null; // the recogniser may now doubt the words
    soon();
  });
  on(EVENT.field, (name) => name === "transcript" && soon());
  follow(STATE.clips, () => {
    listen.hidden = !state.recogniser;
  });
  follow(STATE.activity, () => {
    work.hidden = !activity();
    work.textContent = activity() && `${activity()}…`;
    listen.disabled = transcribing();
    if (latest?.found) draw(latest.found, problems, chips);
  });
}

/** Return the report on the current reference, which is loaded only once. @param {Voice} voice */
function reportOn({ clip, start_s, end_s }) {
  const asked = { start_s, end_s, transcript: fields.text("transcript") };
  const about = JSON.stringify([clip.id, asked]);
  if (latest?.about === about) return latest;
  const checks = post(`/studio/clips/${clip.id}/report`, asked).then((report) => report.checks);
  latest = { about, checks, accepted: false };
  return latest;
}

/** @param {HTMLElement} problems @param {HTMLElement} chips */
async function examine(problems, chips) {
  if (!state.voice) return;
  const mine = reportOn(state.voice);
  try {
    const checks = await mine.checks;
    if (mine !== latest) return;
    mine.found = checks;
    draw(checks, problems, chips);
  } catch (error) {
    if (mine !== latest) return;
    latest = null; // so that the next call loads it again
    problems.replaceChildren(h("li.problem.fail", {}, icon("fail"), h("p", {}, reason(error))));
  }
}

/** @param {Check[]} checks @param {HTMLElement} problems @param {HTMLElement} chips */
function draw(checks, problems, chips) {
  const pending = transcribing() && !fields.text("transcript").trim(); // the words may still come
  const worth = ordered(checks.filter((check) => check.state !== "ok" && !(pending && OF_WORDS.has(check.name))));
  problems.replaceChildren(...worth.map((check) => problem(check, worth)));
  chips.replaceChildren(...checks.filter((check) => check.state === "ok").map(chip));
}

function transcribing() {
  return activity() === TRANSCRIBING;
}

/**
 * Sort problems: first those that cannot be repaired, then in the order in which repairs work.
 * @param {Check[]} problems
 */
function ordered(problems) {
  return problems.toSorted((one, other) => ORDER.indexOf(one.mend ?? "") - ORDER.indexOf(other.mend ?? ""));
}

/** @param {Check} check @param {Check[]} problems */
function problem({ name, state, message, mend: cure }, problems) {
  const early = cure === "denoise" && problems.some((other) => other.mend === "normalise");
  return h(
    `li.problem.${state}`,
    {},
    icon(SIGNS[state]),
    h(
      "p",
      {},
      h("span.sr-only", {}, `${TITLES[name] ?? name}, ${SPOKEN[state]}: `),
      message,
      early && " Normalise the level first.",
    ),
    cure && !early && h("button.quiet.small", { type: "button", onclick: () => mend(cure) }, MENDS[cure].verb),
  );
}

/** @param {Check} check */
function chip({ name, state, message }) {
  return h(
    `li.chip.${state}`,
    { title: message },
    icon(SIGNS[state]),
    TITLES[name] ?? name,
    h("span.sr-only", {}, `: ${message}`),
  );
}
