/** What the votes add up to, for each two arms: counts, share, and how far it can be trusted. */
import { h } from "./dom.js";
import { engineOf } from "./state.js";
import { percent, plural } from "./words.js";

const LEAST = 6; // fewer preferences cannot exclude chance at 95 %, even if all go one way
const EXPLAINED =
  "Exact binomial interval (Clopper and Pearson) of the share of preferences, ties left out. " +
  "It holds for a number of votes fixed beforehand; stopping when the result looks good makes it look better than it is.";

/** "steps 7"; a setting left alone is the checkpoint's default. */
export function settingWords(name, value) {
  return `${name.replaceAll("_", " ")} ${value ?? "default"}`;
}

/** "F5-TTS, embedded, steps 7". */
export function armWords({ engine, checkpoint = "", settings = {} }) {
  const said = Object.entries(settings).map(([name, value]) => settingWords(name, value));
  return [engineOf(engine)?.title ?? engine, checkpoint, ...said].filter(Boolean).join(", ");
}

/** @param {object[]} tallies  as the server tells them, the most voted first */
export function results(tallies) {
  return h(
    "section.results",
    { "aria-labelledby": "results-title" },
    h("h3", { id: "results-title" }, "Results of this browser’s votes"),
    h(
      "table",
      {},
      h("thead.sr-only", {}, h("tr", {}, ...["First", "Votes", "Share and interval", "Votes", "Second"].map(heading))),
      h("tbody", {}, ...tallies.map(row)),
    ),
  );
}

function heading(words) {
  return h("th", { scope: "col" }, words);
}

function row({ first, second, wins, losses, ties, low, high }) {
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
      h("p", {}, verdict(names, count, low, high)),
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

/** Long towards the preferred one; the band is the interval, the line in the middle is chance. */
function bar(share, low, high) {
  if (share === null) return h("div.share-bar", { "aria-hidden": "true" });
  const left = (part) => `${(100 * part).toFixed(1)}%`;
  // The first arm stands on the left, so its share grows to the left.
  return h(
    "div.share-bar",
    { "aria-hidden": "true" },
    h("i.band", { style: `left:${left(1 - high)};width:${left(high - low)}` }),
    h("i.mark", { style: `left:${left(1 - share)}` }),
  );
}

function verdict(names, count, low, high) {
  if (!count) return "Ties only, no preference so far.";
  if (count < LEAST) return "Too few votes to tell.";
  if (low > 0.5) return `${names[0]} is preferred.`;
  if (high < 0.5) return `${names[1]} is preferred.`;
  return "No difference shown so far.";
}

function range(low, high) {
  return `${Math.round(100 * low)} to ${percent(high).replace(" ", "\u00a0")}`;
}
