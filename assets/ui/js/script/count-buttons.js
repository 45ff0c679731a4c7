/** The counters of a sheet: a button for each state of its lines. */
import { h } from "../core/dom.js";
import { CONCERNS } from "./lines.js";
import { STATES } from "./status.js";
import { setFilter } from "./view.js";

/** @import { LineState } from "./status.js" */

const COUNTED = ["made", "select", "hold", "retake", "ready", "stale", "failed", "none"];

/** Return buttons with the number of lines in each state. A click shows these lines. @param {Record<string, number>} counts */
export function countButtons(counts) {
  const button = (/** @type {string} */ state, /** @type {string} */ words) =>
    h(
      "button.count-button",
      { type: "button", "data-state": state, onclick: () => setFilter({ status: state }) },
      h("b", {}, counts[state].toLocaleString("en")),
      ` ${words}`,
    );
  const buttons = (/** @type {string[]} */ states) =>
    states
      .filter((state) => counts[state])
      .map((state) => button(state, STATES[/** @type {LineState} */ (state)].words));
  const concerned = buttons(CONCERNS); // these lines are also counted by their status
  return [...buttons(COUNTED), ...(concerned.length ? [h("span.counts-within", {}, "of these:")] : []), ...concerned];
}
