"""Preference and ABX: exact tests, and the votes that they still need."""

import math

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from studio.listening.statistics import abx, preference
from studio.listening.tally import clopper_pearson

COUNTS = [(0, 0), (1, 0), (0, 1), (3, 3), (8, 2), (2, 8), (60, 40), (0, 20), (500, 520), (4000, 3900)]
RNG_RUNS = 40_000


@pytest.mark.parametrize(("wins", "losses"), COUNTS[1:])
def test_p_is_that_of_the_exact_binomial_test(wins: int, losses: int) -> None:
    assert preference(wins, losses, 7).p == pytest.approx(binomtest(wins, wins + losses).pvalue, rel=1e-9)


def test_p_of_the_textbook_sign_test() -> None:
    # J. H. Zar, Biostatistical Analysis (1999): the left hind leg is longer than the left foreleg in 8 of 10 deer.
    assert preference(8, 2, 0).p == pytest.approx(0.109375)


@pytest.mark.parametrize(("wins", "losses"), COUNTS)
def test_a_preference_is_decided_if_and_only_if_the_interval_excludes_one_half(wins: int, losses: int) -> None:
    found = preference(wins, losses, 0)
    assert found.decided == (not found.interval[0] <= 0.5 <= found.interval[1])


def test_ties_change_neither_share_nor_interval_nor_p() -> None:
    without, with_ties = preference(30, 20, 0), preference(30, 20, 50)
    assert (without.share, without.interval, without.p) == (with_ties.share, with_ties.interval, with_ties.p)
    assert with_ties.interval == clopper_pearson(30, 50)


def test_ties_raise_the_votes_needed() -> None:
    assert preference(30, 20, 50).votes_needed == 2 * (preference(30, 20, 0).votes_needed or 0) > 0


def test_both_arms_need_equally_many_votes() -> None:
    assert preference(30, 20, 5).votes_needed == preference(20, 30, 5).votes_needed


def test_a_decided_preference_needs_no_votes() -> None:
    assert preference(80, 20, 0).votes_needed == 0


@pytest.mark.parametrize(("wins", "losses"), [(50, 50), (51, 49), (510, 490), (0, 0)])
def test_a_share_near_one_half_never_decides(wins: int, losses: int) -> None:
    assert preference(wins, losses, 0).votes_needed is None


@pytest.mark.parametrize("ties", [0, 12])
def test_without_wins_and_losses_nothing_is_known(ties: int) -> None:
    found = preference(0, 0, ties)
    assert (found.share, found.interval, found.p, found.decided) == (None, (0.0, 1.0), 1.0, False)


def test_wins_alone_have_a_finite_interval() -> None:
    assert preference(10, 0, 0).interval == pytest.approx((0.025**0.1, 1.0))


def power(wins: int, losses: int, ties: int, more: int, sides: int) -> float:
    """Simulate `more` votes with the observed shares, and return how often the test on all votes decides."""
    rng = np.random.default_rng(more)
    votes = np.array([wins, losses, ties])
    final = votes + rng.multinomial(more, votes / votes.sum(), RNG_RUNS)
    decided = final[:, 0] + final[:, 1]
    winner = final[:, :2].max(axis=1) if sides == 2 else final[:, 0]
    return float((sides * binom.sf(winner - 1, decided, 0.5) < 0.05).mean())


OPEN = [(60, 40, 25), (30, 22, 0), (30, 22, 13), (12, 6, 5), (105, 90, 50), (8, 5, 20)]


@pytest.mark.parametrize("votes", OPEN)
def test_votes_needed_are_right_within_15_percent(votes: tuple[int, int, int]) -> None:
    """With 15 % fewer votes, the power is below 80 %; with 15 % more votes, above."""
    needed = preference(*votes).votes_needed
    assert needed
    few, exact, many = (power(*votes, round(needed * share), 2) for share in (0.85, 1, 1.15))
    print(f"{votes}: {needed} votes; power {few:.1%}, {exact:.1%}, {many:.1%}")
    assert few < 0.8 < many
    assert exact == pytest.approx(0.8, abs=0.05)


@pytest.mark.parametrize(("correct", "count"), [(9, 14), (28, 50), (11, 17)])
def test_answers_needed_are_right_within_15_percent(correct: int, count: int) -> None:
    needed = abx(correct, count).votes_needed
    assert needed
    few, exact, many = (power(correct, count - correct, 0, round(needed * share), 1) for share in (0.85, 1, 1.15))
    print(f"ABX {correct}/{count}: {needed} answers; power {few:.1%}, {exact:.1%}, {many:.1%}")
    assert few < 0.8 < many
    assert exact == pytest.approx(0.8, abs=0.05)


@pytest.mark.parametrize(
    ("correct", "count", "p"),
    [  # tails of Pascal's triangle: the table of critical values that ABX tests use, in which 12 of 16 reach 5 %
        (9, 10, 11 / 1024),
        (8, 10, 56 / 1024),
        (12, 16, 2517 / 65536),
        (11, 16, 6885 / 65536),
        (5, 5, 1 / 32),
        (0, 4, 1.0),
    ],
)
def test_p_of_abx_is_that_of_the_tables(correct: int, count: int, p: float) -> None:
    found = abx(correct, count)
    assert found.p == pytest.approx(p)
    assert found.decided == (p < 0.05)


def test_the_table_of_abx_is_pascals_triangle() -> None:
    assert sum(math.comb(16, k) for k in range(12, 17)) == 2517


def test_abx_without_answers_shows_nothing() -> None:
    found = abx(0, 0)
    assert (found.share, found.interval, found.p, found.decided, found.votes_needed) == (None, (0, 1), 1, False, None)


def test_abx_below_chance_never_decides() -> None:
    found = abx(3, 10)
    assert (found.decided, found.votes_needed) == (False, None)
