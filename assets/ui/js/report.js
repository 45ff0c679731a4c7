/** Below the transcript: what the studio thinks of the reference, with one click to mend it. */
import { follow, on } from "./bus.js";
import { busy } from "./busy.js";
import { debounced, h, icon } from "./dom.js";
import * as fields from "./fields.js";
import { MENDS, mend, transcribe } from "./mending.js";
import { post } from "./server.js";
import { state } from "./state.js";
import { isTyped } from "./transcripts.js";

const SIGNS = { ok: "check", warn: "warn", fail: "fail" };
const SPOKEN = { ok: "fine", warn: "worth a look", fail: "not usable like this" };

// Noise is lowered only at a good level: gating a quiet clip leaves nothing of the voice.
const ORDER = ["mono", "normalise", "trim", "high_pass", "denoise"];

let looked = { about: "", checks: null, accepted: false }; // the newest look at the reference on screen

/** The check that says why the reference on screen cannot sound right; null where it can, or the designer insists. */
export async function objection() {
  if (!state.voice || state.champion || !isTyped()) return null; // what the studio itself put there needs no wait
  const { accepted, checks } = look();
  const told = await checks.catch(() => []); // the card says what hinders it, and speaking may still work
  return accepted ? null : (told.find((check) => check.state === "fail") ?? null);
}

/** The designer speaks with this part and these words all the same. */
export function accept() {
  look().accepted = true;
}

export function mount(element) {
  const listen = h("button.quiet.transcribe", { type: "button", onclick: transcribe }, icon("words"), "Transcribe");
  const work = h("p.busy", { role: "status", hidden: true });
  const problems = h("ul.problems", { "aria-label": "Worth mending" });
  const chips = h("ul.chips", { "aria-label": "Report on the reference" });
  element.append(h("div.report", {}, listen, work, problems, chips));
  const soon = debounced(300, () => examine(problems, chips));
  follow("voice", soon);
  on("field", (name) => name === "transcript" && soon());
  follow("clips", () => (listen.hidden = !state.recogniser));
  follow("busy", () => {
    work.hidden = !busy();
    work.textContent = busy() && `${busy()}…`;
  });
}

/** The studio's report on what is on screen now, asked for once. */
function look() {
  const { clip, start_s, end_s } = state.voice;
  const asked = { start_s, end_s, transcript: fields.text("transcript") };
  const about = JSON.stringify([clip.id, asked]);
  if (looked.about !== about) {
    const checks = post(`/studio/clips/${clip.id}/report`, asked).then((report) => report.checks);
    looked = { about, checks, accepted: false };
  }
  return looked;
}

async function examine(problems, chips) {
  if (!state.voice) return;
  const mine = look();
  try {
    const checks = await mine.checks;
    if (mine !== looked) return;
    problems.replaceChildren(...ordered(checks.filter((check) => check.state !== "ok")).map(problem));
    chips.replaceChildren(...checks.filter((check) => check.state === "ok").map(chip));
  } catch (error) {
    if (mine !== looked) return;
    looked = { about: "" }; // to be asked for again
    problems.replaceChildren(h("li.problem.fail", {}, icon("fail"), h("p", {}, error.message)));
  }
}

/** What cannot be mended first, then mends in the order in which they work. */
function ordered(problems) {
  return problems.toSorted((one, other) => ORDER.indexOf(one.mend) - ORDER.indexOf(other.mend));
}

function problem({ name, state, message, mend: cure }, place, problems) {
  const early = cure === "denoise" && problems.some((other) => other.mend === "normalise");
  return h(
    `li.problem.${state}`,
    {},
    icon(SIGNS[state]),
    h("p", {}, h("span.sr-only", {}, `${name}, ${SPOKEN[state]}: `), message, early && " Normalise it first."),
    cure && !early && h("button.quiet.small", { type: "button", onclick: () => mend(cure) }, MENDS[cure].verb),
  );
}

function chip({ name, state, message }) {
  return h(`li.chip.${state}`, { title: message }, icon(SIGNS[state]), name, h("span.sr-only", {}, `: ${message}`));
}
