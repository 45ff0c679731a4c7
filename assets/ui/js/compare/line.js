/** Shows the text of the two takes of a trial, and a warning if their texts differ. */
import { openDialog } from "../core/dialog.js";
import { h, icon } from "../core/dom.js";

const SHORT = 200; // characters; a longer text scrolls
const DIFFERENT = "These takes have different texts, so the comparison is not blind. The vote will not count.";

/** Return the text above a trial. @param {CompareState} compareState */
export function lineOf({ trial, place }) {
  const texts = trial?.texts ?? [];
  return h(
    "div.trial-line",
    {},
    place && h("p.readout.pair-place", {}, `Pair ${place.pair} of ${place.pairs}`),
    ...texts.map(said),
    texts.length > 1 && h("p.hint.different", {}, icon("warn"), h("span", {}, DIFFERENT)),
  );
}

/** Return a text; a long one can be scrolled, also by keys. @param {string} text */
function said(text) {
  return h("p.trial-text", { tabindex: text.length > SHORT && "0" }, text);
}

/**
 * Ask before comparing takes with different texts. Resolves to true if the comparison goes on.
 * @param {Take[]} takes
 */
export function agreed(takes) {
  const texts = [...new Set(takes.map(({ order }) => order.text))];
  if (texts.length < 2) return Promise.resolve(true);
  return new Promise((resolve) => {
    const answer = (/** @type {boolean} */ wanted) => () => {
      resolve(wanted);
      dialog.close();
    };
    const button = (/** @type {string} */ look, /** @type {string} */ words, /** @type {boolean} */ wanted) =>
      h(`button.${look}`, { type: "button", onclick: answer(wanted) }, words);
    const dialog = openDialog({
      title: "Different texts",
      look: "narrow",
      body: [h("p", {}, DIFFERENT), ...texts.map(said)],
      actions: [button("quiet", "Compare anyway", true), button("primary", "Cancel", false)],
      onclose: () => resolve(false),
    });
  });
}
