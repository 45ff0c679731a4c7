/**
 * The Compare page without a trial: an offer of the next pair, an empty state, or a trial whose take was deleted.
 */
import { h } from "../core/dom.js";

/**
 * Return the part of the page that replaces a trial.
 * @param {{ trial: boolean, pairs: number, advance: () => unknown, leave: () => unknown }} state
 *   whether a trial is open, the number of pairs that wait, and the actions of the buttons
 */
export function placeholder({ trial, pairs, advance, leave }) {
  if (trial) return gone(leave);
  return pairs ? begin(pairs, advance) : empty();
}

/** Return the view of a trial whose take was deleted. @param {() => unknown} leave */
function gone(leave) {
  return h(
    "section.begin",
    { "aria-label": "Blind comparison", "aria-live": "polite" },
    h("p.lead", {}, "One of the two takes was deleted. Leave this comparison."),
    h("button.primary", { type: "button", onclick: leave }, "Leave comparison"),
  );
}

/** Offer the next pair. @param {number} pairs @param {() => unknown} advance */
function begin(pairs, advance) {
  return h(
    "section.begin",
    { "aria-label": "Next pair" },
    h("p.lead", {}, "Which take do you prefer?"),
    h(
      "p",
      {},
      `Pairs to compare: ${pairs.toLocaleString("en")}. Each pair is one line, spoken with two engines or settings.`,
    ),
    h("button.primary", { type: "button", onclick: advance }, "Next pair ", h("kbd", {}, "N")),
  );
}

/** Explain how pairs are made. */
function empty() {
  return h(
    "div.empty",
    {},
    h("p.lead", {}, "Listen to two takes without names, and vote."),
    h(
      "p",
      {},
      "Speak one line twice, with two engines or two settings. Each such pair appears here. ",
      "For any other two takes, press Add to Compare on both in the list of takes, then press Compare blind.",
    ),
    h("a.button", { href: "#speak" }, "Go to Speak"),
  );
}
