/** What a line's state is called, and its sign: never by colour alone. */
import { finding, verdict } from "./line-takes.js";

/** @typedef {keyof typeof import("../core/icons.js").ICONS} Sign */

/** @type {Record<LineStatus | "doubt", {words: string, sign: Sign | ""}>} */
export const STATES = {
  failed: { words: "failed", sign: "fail" },
  stale: { words: "stale", sign: "again" },
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
  const more = comment || (why && (status === "none" ? "no voice" : why));
  const instead = status === "none" && why;
  return { state: status, words: instead ? "no voice" : more ? `${words}: ${more}` : words, sign, title: why || found };
}

/** @param {LineTake} take */
function doubts(take) {
  const { failed, doubtful } = verdict(take);
  const name = take.checks.find(({ outcome }) => outcome === (failed ? "fail" : "doubt"))?.name ?? "";
  if (failed + doubtful > 1) return `${failed + doubtful} checks in doubt`;
  return failed ? `${name} failed` : `${name} in doubt`;
}
