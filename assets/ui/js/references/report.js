/** Below the transcript: what the studio thinks of the reference, with one click to mend it. */
import { follow, on } from "../core/bus.js";
import { h, icon } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import * as fields from "../core/fields.js";
import { post, reason } from "../core/server.js";
import { state } from "../core/state.js";
import { debounced } from "../core/timing.js";
import { activity } from "./activity.js";
import { doubtList } from "./doubts.js";
import { MENDS, mend, transcribe } from "./mends.js";
import { isTyped } from "./transcripts.js";

/** @typedef {{about: string, checks: Promise<Check[]>, accepted: boolean}} Report */

const SIGNS = /** @type {const} */ ({ ok: "check", warn: "warn", fail: "fail" });
/** Names on the page, where they differ from the report's. @type {Record<string, string>} */
const TITLES = { duration: "length" };
const SPOKEN = { ok: "fine", warn: "warning", fail: "not usable" };

// Noise is lowered only at a good level: gating a quiet clip leaves nothing of the voice.
const ORDER = ["mono", "normalise", "trim", "high_pass", "denoise"];

/** The newest of the reference on screen. @type {Report | null} */
let latest = null;

/** The check that says why the reference on screen cannot sound right; null where it can, or the designer insists. */
export async function objection() {
  if (!state.voice || state.champion || !isTyped()) return null; // what the studio itself put there needs no wait
  const { accepted, checks } = reportOn(state.voice);
  const found = await checks.catch(() => []); // the report says what hinders it, and speaking may still work
  return accepted ? null : (found.find((check) => check.state === "fail") ?? null);
}

/** The designer speaks with this part and these words all the same. */
export function accept() {
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
    latest = null; // it may doubt the words now
    soon();
  });
  on(EVENT.field, (name) => name === "transcript" && soon());
  follow(STATE.clips, () => {
    listen.hidden = !state.recogniser;
  });
  follow(STATE.activity, () => {
    work.hidden = !activity();
    work.textContent = activity() && `${activity()}…`;
  });
}

/** The studio's report on what is on screen now, asked for once. @param {Voice} voice */
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
    const worth = ordered(checks.filter((check) => check.state !== "ok"));
    problems.replaceChildren(...worth.map((check) => problem(check, worth)));
    chips.replaceChildren(...checks.filter((check) => check.state === "ok").map(chip));
  } catch (error) {
    if (mine !== latest) return;
    latest = null; // to be asked for again
    problems.replaceChildren(h("li.problem.fail", {}, icon("fail"), h("p", {}, reason(error))));
  }
}

/** What cannot be mended first, then mends in the order in which they work. @param {Check[]} problems */
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
