/** What a line's state is called, and its sign: never by colour alone. */
import { finding, verdict } from "./line-takes.js";

/** @typedef {keyof typeof import("../core/icons.js").ICONS} Sign */

/** @type {Record<LineStatus | "doubt", {words: string, sign: Sign | ""}>} */
export const STATES = {
  failed: { words: "failed", sign: "fail" },
  stale: { words: "stale", sign: "again" },
  ready: { words: "new take ready", sign: "flag" },
  retake: { words: "retake", sign: "flag" },
  none: { words: "not made", sign: "" },
  hold: { words: "hold", sign: "pausemark" },
  made: { words: "made", sign: "equal" },
  select: { words: "select", sign: "check" },
  empty: { words: "no text", sign: "" },
  doubt: { words: "in doubt", sign: "warn" },
};

/**
 * @param {ScriptLine} line @param {LineTake | null} take  that stands for it @param {boolean} blind
 * @returns {{state: LineStatus | "doubt", words: string, sign: Sign | "", title: string}}
 */
export function statusOf(line, take, blind) {
  const { status, why } = line;
  const { words, sign } = STATES[status];
  const found = blind || !take ? "" : (finding(take) ?? "");
  if (status === "made" && found)
    return { state: "doubt", words: doubts(/** @type {LineTake} */ (take)), sign: "warn", title: found };
  const comment = status === "retake" && take?.comment;
  const more = comment || (why && status !== "ready" && (status === "none" ? "no voice" : why));
  return { state: status, words: more ? `${words}: ${more}` : words, sign, title: why || found };
}

/** Beginning as the filter calls it. @param {LineTake} take */
function doubts(take) {
  const { failed, doubtful } = verdict(take);
  const name = take.checks.find(({ outcome }) => outcome === (failed ? "fail" : "doubt"))?.name ?? "";
  return `${STATES.doubt.words}: ${failed + doubtful > 1 ? `${failed + doubtful} checks` : name}`;
}
