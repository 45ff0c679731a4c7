const LEAST = 6; // fewer preferences cannot exclude chance at 95 %, even if all go one way

/**
 * Describe the result of the votes on two arms.
 * @param {string[]} names @param {Pick<Tally, "wins" | "losses" | "low" | "high">} tally
 */
export function verdict(names, { wins, losses, low, high }) {
  if (!(wins + losses)) return "No preference so far.";
  if (wins + losses < LEAST) return "Too few votes for a result.";
  if (low > 0.5) return `${names[0]} is preferred.`;
  if (high < 0.5) return `${names[1]} is preferred.`;
  return "No clear difference so far.";
}
