/** The details of the results: pairs, lines, time, listeners, and files to download. */
import { h, icon } from "../core/dom.js";
import { moment, plural } from "../core/format.js";
import { lineList } from "./line-votes.js";
import { prefers } from "./methods.js";
import { votesPlot } from "./plots.js";
import { pathOf } from "./sessions.js";
import { decision, pairWords, pWords, scoreWords, signed } from "./words.js";

/** @param {ListeningSession} session @param {SessionResults} results */
export function details(session, results) {
  const { plan } = session;
  const names = plan.arms.map(({ name }) => name);
  const { votes, listeners, contrasts, pairs, voted_at, scores } = results;
  const isChecked = scores.some(
    ({ heard, faulty, mos, likeness }) => heard || faulty || mos !== null || likeness !== null,
  );
  const preferences = votes > 0 && prefers(plan.method) ? /** @type {PreferencePair[]} */ (pairs) : [];
  return [
    preferences.length > 0 &&
      folded(plural(preferences.length, "pair"), "pairs", pairList(preferences, names), matrix(preferences, names)),
    contrasts.length > 0 && folded("Differences between arms", "contrasts", contrastList(contrasts, names)),
    folded(plural(plan.lines.length, "line"), "lines", lineList(session, results)),
    isChecked && folded("Automatic checks", "checks", scoreList(scores, names)),
    voted_at.length > 1 && folded("Votes over time", "time", timePart(voted_at)),
    listeners.length > 0 && folded(plural(listeners.length, "listener"), "listeners", listenerList(listeners)),
    downloads(session),
  ];
}

/** @param {string} words @param {string} name @param {HTMLElement[]} content */
function folded(words, name, ...content) {
  return h("details.session-fold", { "data-name": name }, h("summary", {}, icon("down"), words), ...content);
}

/** @param {PreferencePair[]} pairs @param {string[]} names */
function pairList(pairs, names) {
  const rows = pairs.map((pair) => h("li", {}, h("p", {}, pairWords(pair, names)), h("p.hint", {}, decision(pair))));
  return h("ul.plain-rows", {}, ...rows);
}

/** Return the table of wins of each arm over each other arm. @param {PreferencePair[]} pairs @param {string[]} names */
function matrix(pairs, names) {
  const wins = (/** @type {number} */ one, /** @type {number} */ other) => {
    const pair = pairs.find(({ first, second }) => first === Math.min(one, other) && second === Math.max(one, other));
    return String((one < other ? pair?.wins : pair?.losses) ?? 0);
  };
  const cell = (/** @type {number} */ one, /** @type {number} */ other) =>
    h("td", {}, one === other ? "–" : wins(one, other));
  const heads = names.map((name, at) => h("th", { scope: "col", "aria-label": `over ${name}` }, String(at + 1)));
  const rows = names.map((name, one) =>
    h("tr", {}, h("th", { scope: "row" }, `${one + 1} ${name}`), ...names.map((_, other) => cell(one, other))),
  );
  return h(
    "table.win-matrix",
    {},
    h("caption", {}, "Wins of the arm in the row over the arm in the column"),
    h("thead", {}, h("tr", {}, h("td"), ...heads)),
    h("tbody", {}, ...rows),
  );
}

/** @param {SessionResults["contrasts"]} contrasts @param {string[]} names */
function contrastList(contrasts, names) {
  const rows = contrasts.map(({ first, second, difference, p, decided }) => {
    const words = `${names[first]} against ${names[second]}: ${signed(difference)}, ${pWords(p)}.`;
    return h("li", {}, h("p", {}, words), h("p.hint", {}, decided ? "Decided." : "Not decided."));
  });
  return h("ul.plain-rows", {}, ...rows);
}

/** @param {TakeScores[]} scores @param {string[]} names */
function scoreList(scores, names) {
  return h("ul.plain-rows", {}, ...scores.map((one, arm) => h("li", {}, `${names[arm]}: ${scoreWords(one)}.`)));
}

/** @param {number[]} times */
function timePart(times) {
  const [first, last] = [times[0], times.at(-1) ?? times[0]].map((time) => moment(new Date(1000 * time).toISOString()));
  const words = `${plural(times.length, "vote")} from ${first} to ${last}.`;
  return h("div.votes-time", {}, votesPlot(times, words), h("p.hint", {}, words));
}

/** @param {SessionListener[]} listeners */
function listenerList(listeners) {
  const rows = listeners.map(({ votes, completed_at, completion_code, excluded, answers }, place) => {
    const state = completed_at === null ? "not finished" : `finished, code ${completion_code}`;
    const given = Object.entries(answers).filter(([, answer]) => answer);
    return h(
      "li",
      {},
      h("p", {}, `Listener ${place + 1}: ${plural(votes, "counted vote")}, ${state}.`),
      excluded && h("p.excluded", {}, icon("warn"), h("span", {}, `Excluded: ${excluded}`)),
      ...given.map(([question, answer]) => h("p.hint", {}, `${question} ${answer}`)),
    );
  });
  return h("ul.plain-rows", {}, ...rows);
}

/** @param {ListeningSession} session */
function downloads({ id }) {
  const file = (/** @type {string} */ words, /** @type {string} */ path, /** @type {string} */ name) =>
    h("a.session-file", { href: pathOf(id, path), download: name }, icon("download"), words);
  return h(
    "div.session-files",
    {},
    file("Votes (CSV)", "/votes.csv", `listening-${id}.csv`),
    file("Report (HTML)", "/report.html", `listening-${id}.html`),
    file("Results (JSON)", "/results", `listening-${id}.json`),
  );
}
