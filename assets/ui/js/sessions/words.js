/** Describes sessions and their results in words. */
import { about, percent, plural, titled } from "../core/format.js";

/** @param {ListeningSession} session */
export function stateWords({ state, made, takes, current, left_s }) {
  if (state === "rendering") {
    const words = [`Rendering ${made} of ${plural(takes, "take")}`, current].filter(Boolean).join(": ");
    return typeof left_s === "number" ? `${words}. ${titled(about(left_s))} left.` : words;
  }
  if (state === "paused") return `Paused after ${made} of ${plural(takes, "take")}`;
  if (state === "failed") return `Failed after ${made} of ${plural(takes, "take")}`;
  return state === "open" ? "Open for listeners" : "Closed";
}

/** @param {number} p */
export function pWords(p) {
  return p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
}

/** Format an interval of shares: "48 to 75 %". @param {number} low @param {number} high */
export function shareRange(low, high) {
  return `${Math.round(100 * low)} to ${percent(high)}`;
}

/** Return a pair seen from the arm with more votes. @param {PreferencePair} pair @returns {PreferencePair} */
export function fromBetter(pair) {
  if (pair.wins >= pair.losses) return pair;
  return {
    ...pair,
    first: pair.second,
    second: pair.first,
    wins: pair.losses,
    losses: pair.wins,
    share: pair.share === null ? null : 1 - pair.share,
    low: 1 - pair.high,
    high: 1 - pair.low,
  };
}

/** Say whether the votes decide, and how many more are needed. @param {SessionPair} pair */
export function decision(pair) {
  const isAbx = "correct" in pair;
  const votes = isAbx ? pair.count : pair.wins + pair.losses + pair.ties;
  if (!votes) return "No votes yet.";
  if (pair.decided) return isAbx ? "Decided: the difference is audible." : "Decided.";
  if (pair.votes_needed) return `Not decided. About ${plural(pair.votes_needed, "more vote")} needed.`;
  if (!isAbx && pair.wins === pair.losses) return "Not decided. Both arms have the same number of votes.";
  if (isAbx && pair.correct <= pair.count / 2) return "Not decided. Answers so far are no better than guessing.";
  return "Not decided. At this rate, more than 5,000 votes are needed.";
}

/** @param {PreferencePair} pair @param {string[]} names */
export function pairWords(pair, names) {
  const { first, second, wins, losses, ties, p } = pair;
  const none = ties ? `, ${ties} without preference` : "";
  return `${names[first]} ${wins}, ${names[second]} ${losses}${none}; ${pWords(p)}.`;
}

/** @param {AbxPair} pair @param {string[]} names */
export function abxWords({ first, second, correct, count, p }, names) {
  return `${names[first]} and ${names[second]}: ${correct} of ${plural(count, "answer")} right; ${pWords(p)}.`;
}

/** @param {number | null} alpha */
export function agreementWords(alpha) {
  if (alpha === null) return "Agreement between listeners: not known yet. Two listeners must judge the same takes.";
  const grade = alpha >= 0.67 ? "good" : alpha >= 0.33 ? "moderate" : "low";
  return `Agreement between listeners: ${alpha.toFixed(2)} (${grade}).`;
}

/** Describe what the automatic checks found in the takes of an arm. @param {TakeScores} scores */
export function scoreWords({ heard, lost, faulty, mos, likeness }) {
  return [
    heard ? `all words heard in ${heard - lost} of ${plural(heard, "take")}` : "words not checked",
    faulty && `${plural(faulty, "take")} with an audio fault`,
    mos !== null && `predicted MOS: ${mos.toFixed(2)}`,
    likeness !== null && `likeness to the reference: ${likeness.toFixed(2)}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** @param {number} difference */
export function signed(difference) {
  return `${difference < 0 ? "−" : "+"}${Math.abs(difference).toFixed(2)}`;
}

/**
 * Count the votes on a line for each arm, as text.
 * @param {ListeningMethod} method @param {LineVote[]} votes @param {number} arm
 */
export function lineWords(method, votes, arm) {
  if (method === "mos" || method === "mushra") {
    const scores = votes.flatMap((vote) => scoresOf(vote, arm));
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    return scores.length ? `${mean.toFixed(1)} (${plural(scores.length, "rating")})` : "no ratings";
  }
  const heard = votes.filter(({ arms }) => arms.includes(arm));
  if (method === "abx")
    return `${heard.filter(({ right }) => right).length} of ${plural(heard.length, "answer")} right`;
  const won = heard.filter(({ arms, choice }) => choice !== null && arms["ab".indexOf(choice)] === arm);
  return heard.length ? `${won.length} of ${plural(heard.length, "vote")}` : "no votes";
}

/** Return the score of an arm in a vote, if there is one. @param {LineVote} vote @param {number} arm */
function scoresOf({ arms, scores }, arm) {
  const place = String(arms.indexOf(arm));
  return place in scores ? [scores[place]] : [];
}
