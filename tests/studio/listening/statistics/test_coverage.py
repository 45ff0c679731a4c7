"""95 % intervals cover the truth in 93 to 97 % of simulated sessions.

Sessions have 20 listeners with 20 trials each. Two listeners press buttons at random; `screen` must exclude them first.
"""

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import binom

from studio.listening.statistics import PairVote, preference, rank
from studio.listening.tally import clopper_pearson
from tests.studio.listening.statistics.listeners import session

SHARES = (0.5, 0.6, 0.8)
TIES = 0.2
STRENGTHS = np.array([0.0, logit(0.6), logit(0.8), logit(0.6) + logit(0.8)])
RUNS = [600, pytest.param(4000, marks=pytest.mark.long)]


def two(share: float) -> list[list[float]]:
    """Return the probabilities of outcomes of arms a and b, a tie with a fixed probability."""
    forth = [(1 - TIES) * share, (1 - TIES) * (1 - share), TIES]
    back = [forth[1], forth[0], TIES]
    return [forth, forth, back, back]  # a with a, a with b, b with a, b with b; no arm meets itself


def four() -> list[list[float]]:
    """Return the probabilities of outcomes by Davidson's model, a tie of equal arms with a fixed probability."""
    distances = np.subtract.outer(STRENGTHS, STRENGTHS).ravel()
    odds = np.stack([np.exp(distances / 2), np.exp(-distances / 2), np.full(16, 2 * TIES / (1 - TIES))], axis=1)
    return [[float(one) for one in row] for row in odds / odds.sum(axis=1, keepdims=True)]


def counts(votes: Sequence[PairVote]) -> tuple[int, int, int]:
    ties = sum(vote.outcome == "tie" for vote in votes)
    wins = sum(getattr(vote, vote.outcome) == "a" for vote in votes if vote.outcome != "tie")
    return wins, len(votes) - wins - ties, ties


@pytest.mark.long
@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("share", SHARES)
def test_intervals_of_preference_and_rank_cover_a_known_preference(share: float, runs: int) -> None:
    rng = np.random.default_rng(20)
    truth = {"a": expit(logit(share) / 2), "b": expit(-logit(share) / 2)}
    preferred = ranked = 0
    for _ in range(runs):
        votes = session(rng, "ab", [two(share)])
        low, high = preference(*counts(votes)).interval
        preferred += low <= share <= high
        best = rank(votes, "ab").standings[0]
        ranked += best.interval[0] <= truth[best.arm] <= best.interval[1]
    print(f"share {share}, {runs} runs: preference {preferred / runs:.1%}, rank {ranked / runs:.1%}")
    assert 0.93 <= preferred / runs <= 0.97
    assert 0.93 <= ranked / runs <= 0.97


@pytest.mark.parametrize("runs", RUNS)
def test_intervals_of_rank_cover_the_strengths_of_four_arms(runs: int) -> None:
    rng = np.random.default_rng(4)
    truth = dict(zip("abcd", expit(STRENGTHS - STRENGTHS.mean()), strict=True))
    covered = [
        standing.interval[0] <= truth[standing.arm] <= standing.interval[1]
        for _ in range(runs)
        for standing in rank(session(rng, "abcd", [four()]), "abcd").standings
    ]
    print(f"four arms, {runs} runs: rank {np.mean(covered):.1%}")
    assert 0.93 <= np.mean(covered) <= 0.97


@pytest.mark.parametrize("listeners", [3, 5, 10])
def test_intervals_of_rank_cover_the_truth_for_few_listeners(listeners: int) -> None:
    rng = np.random.default_rng(listeners)
    truth = dict(zip("abcd", expit(STRENGTHS - STRENGTHS.mean()), strict=True))
    covered = [
        standing.interval[0] <= truth[standing.arm] <= standing.interval[1]
        for _ in range(500)
        for standing in rank(session(rng, "abcd", [four()], listeners=listeners, careless=0), "abcd").standings
    ]
    print(f"{listeners} listeners: rank {np.mean(covered):.1%}")
    assert 0.93 <= np.mean(covered) <= 0.98


def test_intervals_of_rank_cover_the_mean_of_listeners_who_differ() -> None:
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(500):
        odds = [two(float(expit(one))) for one in rng.normal(0, 0.7, 10)]  # each listener's log odds of arm a, around 0
        votes = session(rng, "ab", odds, listeners=10, trials=40, careless=0)
        low, high = rank(votes, "ab").standings[0].interval
        covered += low <= 0.5 <= high
    print(f"listeners who differ: rank {covered / 500:.1%}")
    assert 0.93 <= covered / 500 <= 0.97


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("votes", [20, 100, 400])
def test_the_exact_interval_covers_at_least_95_percent_and_at_most_97_from_100_votes(share: float, votes: int) -> None:
    coverage = 0.0
    for decided in range(votes + 1):
        wins = np.arange(decided + 1)
        covered = [low <= share <= high for low, high in (clopper_pearson(int(one), decided) for one in wins)]
        coverage += binom.pmf(decided, votes, 1 - TIES) * binom.pmf(wins, decided, share)[covered].sum()
    print(f"share {share}, {votes} votes: exact {coverage:.2%}")
    assert 0.95 <= coverage <= (0.97 if votes >= 100 else 0.98)
