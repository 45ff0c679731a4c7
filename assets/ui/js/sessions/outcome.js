/** The outcome of a session for its method: shares, right answers or mean scores, each with a 95 % interval. */
import { h } from "../core/dom.js";
import { percent, plural } from "../core/format.js";
import { prefers, rates } from "./methods.js";
import { whisker } from "./plots.js";
import { abxWords, agreementWords, decision, fromBetter, shareRange } from "./words.js";

/** @import { Scale } from "./plots.js" */

const SHARES = { least: 0, most: 1, middle: 0.5 };
/** @type {Record<string, Scale>} */
const SCORES = { mos: { least: 1, most: 5 }, mushra: { least: 0, most: 100 } };
const ALPHA = "Krippendorff’s alpha: 1 if all listeners agree, about 0 for votes at random.";
const AGAINST =
  "Share of votes against the average arm, with 95 % intervals. The line in the middle is the average arm.";
const ONE_PAIR =
  "Share of the votes that prefer this arm, with its 95 % interval. Votes without a preference do not count. " +
  "The line in the middle is chance.";
const RIGHT = "Share of right answers, with its 95 % interval. The line in the middle is guessing.";
const NONE = "No scores yet, because all listeners are excluded. The reasons are in the list of listeners.";

/** @param {ListeningSession} session @param {SessionResults} results @returns {HTMLElement[]} */
export function outcome({ plan }, results) {
  if (!results.votes) return [];
  const names = plan.arms.map(({ name }) => name);
  const agreement = h("p.hint", { title: ALPHA }, agreementWords(results.agreement));
  if (rates(plan.method)) return [...scores(plan, names, results), agreement];
  if (!prefers(plan.method)) return abx(names, results);
  return [...(names.length === 2 ? pair(names, results) : ranking(names, results)), agreement];
}

/**
 * Return a row of a plot: the name, the plot, the numbers.
 * @param {string} name @param {Element} plot @param {Child[]} numbers
 */
function row(name, plot, ...numbers) {
  return h("li", {}, h("b", {}, name), plot, h("span.numbers", {}, ...numbers));
}

/** @param {string[]} names @param {SessionResults} results */
function pair(names, { pairs }) {
  const [only] = /** @type {PreferencePair[]} */ (pairs);
  const { first, second, share, low, high, wins, losses } = fromBetter(only);
  if (share === null) return [h("p", {}, `No preference between ${names[first]} and ${names[second]} so far.`)];
  const even = wins === losses;
  const title = even
    ? `${names[first]} and ${names[second]} have the same number of votes.`
    : `${names[first]} has more votes than ${names[second]}.`;
  const numbers = `${percent(share)} (${shareRange(low, high)})`;
  return [
    h("p.lead", {}, title),
    h("p", {}, decision(only)),
    h("ul.whiskers", {}, row(names[first], whisker({ value: share, low, high }, SHARES), numbers)),
    h("p.hint", {}, ONE_PAIR),
  ];
}

/** @param {string[]} names @param {SessionResults} results */
function ranking(names, { standings }) {
  const marks = !standings.every((one) => one.preliminary); // else the summary says so for all arms
  const rows = standings.map(({ arm, share, low, high, votes, preliminary }) =>
    row(
      names[arm],
      whisker({ value: share, low, high }, SHARES),
      `${percent(share)} (${shareRange(low, high)}), ${plural(votes, "vote")}`,
      marks && preliminary && h("span.tag", {}, "preliminary"),
    ),
  );
  return [h("ol.whiskers", {}, ...rows), h("p.hint", {}, AGAINST)];
}

/** @param {string[]} names @param {SessionResults} results */
function abx(names, { pairs }) {
  const rows = /** @type {AbxPair[]} */ (pairs).map((one) => {
    const { share, low, high } = one;
    const numbers = share === null ? "no answers" : `${percent(share)} (${shareRange(low, high)})`;
    const plot = whisker({ value: share ?? 0.5, low: share === null ? null : low, high }, SHARES);
    return h(
      "li.wide",
      {},
      h("b", {}, `${names[one.first]} or ${names[one.second]}`),
      plot,
      h("span.numbers", {}, numbers),
      h("p.hint", {}, `${abxWords(one, names)} ${decision(one)}`),
    );
  });
  return [h("ul.whiskers", {}, ...rows), h("p.hint", {}, RIGHT)];
}

/** @param {SessionPlan} plan @param {string[]} names @param {SessionResults} results */
function scores({ method, reference }, names, { opinions }) {
  const nameOf = (/** @type {string} */ arm) => {
    if (arm === "anchor") return "Anchor (muffled)";
    return method === "mushra" && Number(arm) === reference ? `${names[reference]} (reference)` : names[Number(arm)];
  };
  if (!opinions.length) return [h("p", {}, NONE)];
  const digits = method === "mos" ? 2 : 0;
  const rows = opinions
    .toSorted((one, other) => other.mean - one.mean)
    .map(({ arm, mean, low, high, ratings }) => {
      const range = low === null || high === null ? "" : ` (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
      const numbers = `${mean.toFixed(digits)}${range}, ${plural(ratings, "rating")}`;
      return row(nameOf(arm), whisker({ value: mean, low, high }, SCORES[method]), numbers);
    });
  const scale = method === "mos" ? "1 (bad) to 5 (excellent)" : "0 to 100";
  const hint = `Mean scores on a scale from ${scale}, with 95 % intervals if there are enough listeners.`;
  return [h("ol.whiskers", {}, ...rows), h("p.hint", {}, hint)];
}
