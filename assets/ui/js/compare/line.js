/** What the two takes of a trial say, and a warning where that differs. */
import { openDialog } from "../core/dialog.js";
import { h, icon } from "../core/dom.js";

const SHORT = 200; // characters, which need no scrolling
const DIFFERENT = "These takes have different texts, so the comparison is not blind. The vote will not count.";

/** Over a trial. @param {TrialDesk} desk */
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

/** A long one scrolls, also by keys. @param {string} text */
function said(text) {
  return h("p.trial-text", { tabindex: text.length > SHORT && "0" }, text);
}

/** Ask before takes with different texts are compared. Resolves to whether to go on. @param {Take[]} takes */
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
