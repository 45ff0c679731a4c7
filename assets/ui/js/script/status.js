/** Words and icons for the states of a line. A state is never shown by colour alone. */
import { checkName } from "./check-names.js";
import { concern, finding, verdict } from "./line-takes.js";

/** @typedef {keyof typeof import("../core/icons.js").ICONS} Sign */

/** @typedef {LineStatus | "faulty" | "doubt" | "rendering"} LineState */
/** @typedef {{state: LineState, words: string, sign: Sign | "", title: string, warning?: string}} Shown */

/** Statuses that a failed check does not replace, because they are the user's decision. @type {LineStatus[]} */
const DECIDED = ["select", "hold"];

/** @type {Record<LineState, {words: string, sign: Sign | ""}>} */
export const STATES = {
  failed: { words: "failed", sign: "fail" },
  stale: { words: "stale", sign: "again" },
  ready: { words: "new take ready", sign: "flag" },
  retake: { words: "retake", sign: "flag" },
  none: { words: "no take", sign: "" },
  hold: { words: "hold", sign: "pausemark" },
  made: { words: "rendered", sign: "equal" },
  select: { words: "select", sign: "check" },
  empty: { words: "no text", sign: "" },
  faulty: { words: "check failed", sign: "fail" },
  doubt: { words: "check uncertain", sign: "warn" },
  rendering: { words: "rendering", sign: "again" },
};

/**
 * @param {ScriptLine} line @param {LineTake | null} take  the current take @param {boolean} blind
 * @param {boolean} rendering  whether a take of the line is being generated
 * @returns {Shown}  `warning`: a failed check of the take, shown after the words
 */
export function statusOf(line, take, blind, rendering = false) {
  if (rendering) return { state: "rendering", ...STATES.rendering, title: "Rendering this line" };
  const { status, why } = line;
  const { words, sign } = STATES[status];
  const found = blind || !take ? "" : (finding(take) ?? "");
  const state = take && !blind && status === "made" ? concern(take) : "";
  if (take && state) return { state, words: concerns(take, state), sign: STATES[state].sign, title: found };
  const comment = status === "retake" && take?.comment;
  const more = comment || (why && status !== "ready" && (status === "none" ? "no voice" : why));
  const warning = take && !blind && DECIDED.includes(status) && concern(take) === "faulty" ? faults(take) : "";
  return { state: status, words: more ? `${words}: ${more}` : words, sign, title: why || found, warning };
}

/** Return "check failed" or "2 checks failed". @param {LineTake} take */
function faults(take) {
  const { failed } = verdict(take);
  return failed > 1 ? `${failed} checks failed` : STATES.faulty.words;
}

/**
 * Describe the concern: "check failed: voice", "2 checks failed".
 * @param {LineTake} take @param {"faulty" | "doubt"} state
 */
function concerns(take, state) {
  const { failed, doubtful } = verdict(take);
  const count = failed || doubtful;
  const name = take.checks.find(({ outcome }) => outcome === (failed ? "fail" : "doubt"))?.name ?? "";
  return count > 1
    ? `${count} checks ${failed ? "failed" : "uncertain"}`
    : `${STATES[state].words}: ${checkName(name)}`;
}
