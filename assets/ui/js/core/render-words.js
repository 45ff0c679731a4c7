/** Describes the progress of a render, for the strip, the Script page and screen readers. */
import { about, plural } from "./format.js";
import { state } from "./state.js";

/** Return the progress, such as "8 of 17 lines, 1 failed, about 30 s left". @param {SheetRender} render */
export function progressWords(render) {
  const { done, total, unmade } = render;
  return [`${done} of ${plural(total, "line")}`, unmade && `${unmade} failed`, leftWords(render)]
    .filter(Boolean)
    .join(", ");
}

/** @param {SheetRender} render */
function leftWords({ state, waits, eta_s }) {
  if (state !== "running") return "";
  if (waits) return isSpeaking() ? "waiting for the take on the Speak page" : "waiting for other requests";
  return eta_s === null ? "" : `${about(eta_s)} left`;
}

/** Return true while a take of the Speak page is generated, in this window or another one. */
function isSpeaking() {
  return Boolean(state.synthesis || state.telemetry?.running.some(({ mine }) => mine));
}

/** Return the share of complete and failed lines. @param {SheetRender} render */
export function shareOf({ done, total, unmade }) {
  return total ? (done + unmade) / total : 0;
}
