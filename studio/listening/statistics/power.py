"""Exact binomial tests of votes against chance, and the number of votes that they need."""

import numpy as np

from studio.listening.statistics.davidson import Floats, Whole
from studio.listening.tally import CONFIDENCE

POWER = 0.8
MOST_VOTES = 5000
CHANCE = 0.5


def p_value(successes: int, count: int, *, sides: int) -> float:
    """Return the exact p of a binomial test against 0.5.

    With one side, the alternative is a share above 0.5. Two sides give the p of `scipy.stats.binomtest`, whose import takes
    three times as long as the import of `scipy.special`.
    """
    if sides == 2:
        return min(1.0, 2 * p_value(max(successes, count - successes), count, sides=1))
    return float(_at_least(np.array([successes]), np.array([count]), CHANCE)[0])


def votes_needed(wins: int, losses: int, ties: int = 0, *, sides: int) -> int | None:
    """Return how many more votes, ties included, decide the test at 5 % with a power of 80 %.

    The answer assumes that further votes have the observed shares of wins, losses and ties. The test then runs once, on old
    and new votes together. The power of an exact test rises in a zigzag. The answer is the middle between the least number
    that reaches 80 % and the least number from which on the power stays at 80 % or more.

    Returns:
        0 if the votes decide already; None if more than 5,000 votes are needed, or the share is not above chance.
    """
    decided = wins + losses
    if sides == 2:
        wins = max(wins, losses)
    if not decided or wins <= CHANCE * decided:
        return None
    if p_value(wins, decided, sides=sides) < 1 - CONFIDENCE:
        return 0
    more = np.arange(MOST_VOTES + 1)
    missing = _critical(decided + more, (1 - CONFIDENCE) / sides) - wins
    strong = _at_least(missing, more, wins / decided) >= POWER
    if not strong[-1]:
        return None
    needed = int(np.argmax(strong) + np.flatnonzero(~strong)[-1] + 2) // 2
    votes = -(-needed * (decided + ties) // decided)
    return votes if votes <= MOST_VOTES else None


def _at_least(successes: Whole, counts: Whole, share: float) -> Floats:
    """Return the probability of at least this many successes."""
    from scipy.special import betainc

    inside = (successes > 0) & (successes <= counts)
    k = np.where(inside, successes, 1)
    tail = betainc(k, np.where(inside, counts, 1) - k + 1, share)
    return np.where(inside, tail, np.where(successes <= 0, 1.0, 0.0))


def _critical(counts: Whole, level: float) -> Whole:
    """Return the least numbers of successes that a fair coin reaches with a probability of at most `level`."""
    from scipy.special import ndtri

    # The normal approximation, less 2, is never too large.
    critical = np.floor(counts / 2 + ndtri(1 - level) * np.sqrt(counts) / 2 - 2).astype(np.int64)
    while (early := (_at_least(critical, counts, CHANCE) > level) & (critical <= counts)).any():
        critical = critical + early
    return critical
