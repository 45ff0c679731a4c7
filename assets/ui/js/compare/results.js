/** What the votes add up to, for each two arms: counts, share, and how far it can be trusted. */
import { h } from "../core/dom.js";
import { percent, plural, setting } from "../core/format.js";
import { titleOf } from "../core/state.js";
import { verdict } from "./verdict.js";

const EXPLAINED =
  "95\u00a0% interval of the share of votes, without ties (exact binomial, Clopper-Pearson). " +
  "Decide the number of votes before you start; otherwise the interval is too narrow.";

/** "F5-TTS, embedded, steps 7". @param {Arm} arm */
export function armWords({ engine, checkpoint = "", settings = {} }) {
  const chosen = Object.entries(settings).map(([name, value]) => setting(name, value));
  return [titleOf(engine), checkpoint, ...chosen].filter(Boolean).join(", ");
}

/** @param {Tally[]} tallies  the most voted first */
export function results(tallies) {
  const heading = (/** @type {string} */ words) => h("th", { scope: "col" }, words);
  return h(
    "section.results",
    { "aria-labelledby": "results-title" },
    h("h3", { id: "results-title" }, "Results of the votes in this browser"),
    h(
      "table",
      {},
      h("thead.sr-only", {}, h("tr", {}, ...["First", "Votes", "Share and interval", "Votes", "Second"].map(heading))),
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
        plural(ties, "tie"),
      ),
    ),
    h("td.votes-for", {}, String(losses)),
    h("td.arm", {}, names[1]),
  );
}

/**
 * Long towards the preferred one; the band is the interval, the line in the middle is chance.
 * @param {number | null} share @param {number} low @param {number} high
 */
function bar(share, low, high) {
  if (share === null) return h("div.share-bar", { "aria-hidden": "true" });
  const left = (/** @type {number} */ part) => `${(100 * part).toFixed(1)}%`;
  // The first arm stands on the left, so its share grows to the left.
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
