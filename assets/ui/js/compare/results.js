/** The results of all votes: for each pair of arms the counts, the share, and its confidence interval. */
import { h } from "../core/dom.js";
import { percent, plural, setting } from "../core/format.js";
import { titleOf } from "../core/state.js";
import { verdict } from "./verdict.js";

const EXPLAINED =
  "The true share of votes is probably in this range (95\u00a0% confidence, Clopper-Pearson). Votes without a preference do " +
  "not count. Decide the number of votes before you begin. If you stop as soon as you like the result, the range is not " +
  "reliable.";

/** Describe an arm, such as "F5-TTS, embedded, steps 7". @param {Arm} arm */
export function armWords({ engine, checkpoint = "", settings = {} }) {
  const chosen = Object.entries(settings).map(([name, value]) => setting(name, value));
  return [titleOf(engine), checkpoint, ...chosen].filter(Boolean).join(", ");
}

/** @param {Tally[]} tallies  most votes first */
export function results(tallies) {
  const heading = (/** @type {string} */ words) => h("th", { scope: "col" }, words);
  return h(
    "section.results",
    { "aria-labelledby": "results-title" },
    h("h3", { id: "results-title" }, "Results of the votes in this browser"),
    h(
      "table",
      {},
      h("thead.sr-only", {}, h("tr", {}, ...["First", "Votes", "Share of votes", "Votes", "Second"].map(heading))),
      h("tbody", {}, ...tallies.map(row)),
    ),
  );
}

/** @param {Tally} tally */
function row(tally) {
  const { first, second, wins, losses, ties, low, high } = tally;
  const names = [first, second].map(armWords);
  const count = wins + losses;
  return h(
    "tr",
    {},
    h("td.arm", {}, names[0]),
    h("td.votes-for", {}, String(wins)),
    h(
      "td.share",
      {},
      bar(count ? wins / count : null, low, high),
      h("p", {}, verdict(names, tally)),
      h(
        "p.hint",
        { title: EXPLAINED },
        `${wins} of ${plural(count, "vote")} for ${names[0]}, 95\u00a0% interval ${range(low, high)}; `,
        `${plural(ties, "vote")} without preference`,
      ),
    ),
    h("td.votes-for", {}, String(losses)),
    h("td.arm", {}, names[1]),
  );
}

/**
 * Draw a bar that extends towards the preferred arm. The band is the interval; the middle line is chance.
 * @param {number | null} share @param {number} low @param {number} high
 */
function bar(share, low, high) {
  if (share === null) return h("div.share-bar", { "aria-hidden": "true" });
  const left = (/** @type {number} */ part) => `${(100 * part).toFixed(1)}%`;
  // The first arm is on the left, so its share extends to the left.
  return h(
    "div.share-bar",
    { "aria-hidden": "true" },
    h("i.band", { style: `left:${left(1 - high)};width:${left(high - low)}` }),
    h("i.mark", { style: `left:${left(1 - share)}` }),
  );
}

/** @param {number} low @param {number} high */
function range(low, high) {
  return `${Math.round(100 * low)} to ${percent(high).replace(" ", "\u00a0")}`;
}
