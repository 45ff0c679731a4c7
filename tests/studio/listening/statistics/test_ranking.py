"""Ranking: order, records, and cases in which a model without a prior has no answer."""

import math
import time
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.special import expit, logit

from studio.listening.statistics import Outcome, PairVote, Ranking, rank

UNKNOWN = (0.0, 1.0)


def votes(first: str, second: str, outcome: Outcome, count: int, listeners: int = 1) -> list[PairVote]:
    return [
        PairVote(listener=str(one % listeners), line=str(one), first=first, second=second, outcome=outcome)
        for one in range(count)
    ]


def finite(ranking: Ranking) -> bool:
    numbers = [number for one in ranking.standings for number in (one.share, *one.interval)]
    return all(math.isfinite(number) and 0 <= number <= 1 for number in numbers)


def many(arms: Sequence[str], count: int) -> list[PairVote]:
    rng = np.random.default_rng(0)
    pairs = [rng.choice(len(arms), 2, replace=False) for _ in range(count)]
    outcomes: list[Outcome] = ["first", "second", "tie"]
    return [
        PairVote(
            listener=str(one % 20), line=str(one), first=arms[a], second=arms[b], outcome=outcomes[rng.integers(3)]
        )
        for one, (a, b) in enumerate(pairs)
    ]


def test_the_order_of_the_sides_does_not_matter() -> None:
    forth = votes("a", "b", "first", 30) + votes("a", "b", "second", 10)
    back = votes("b", "a", "second", 30) + votes("b", "a", "first", 10)
    assert rank(forth, "ab") == rank(back, "ab")


def test_the_share_is_that_of_the_model_without_ties() -> None:
    (best, _) = rank(votes("a", "b", "first", 3000) + votes("b", "a", "first", 1000), "ab").standings
    assert best.arm == "a"
    assert best.share == pytest.approx(expit(logit(0.75) / 2), abs=0.001)


def test_ties_do_not_change_the_share_of_two_arms() -> None:
    decided = votes("a", "b", "first", 300) + votes("a", "b", "second", 100)
    without, tied = (rank(decided + votes("a", "b", "tie", ties), "ab").standings[0].share for ties in (0, 200))
    assert tied == pytest.approx(without, abs=0.002)


def test_the_sum_of_log_strengths_is_zero() -> None:
    shares = [one.share for one in rank(many("abcdef", 600), "abcdef").standings]
    assert sum(logit(shares)) == pytest.approx(0, abs=1e-9)


def test_arms_are_ranked_through_a_common_opponent() -> None:
    ranking = rank(votes("a", "b", "first", 8) + votes("b", "a", "first", 2) + votes("b", "c", "first", 10), "cba")
    assert [one.arm for one in ranking.standings] == ["a", "b", "c"]


def test_the_highest_lower_bound_comes_first() -> None:
    sure = votes("a", "b", "first", 800) + votes("a", "b", "second", 200)
    standings = rank(sure + votes("c", "b", "first", 1), "cba").standings
    lows = [one.interval[0] for one in standings]
    assert lows == sorted(lows, reverse=True)
    assert standings[0].arm == "a"
    assert next(one for one in standings if one.arm == "c").share > standings[0].share


def test_records_count_each_ordered_pair() -> None:
    ranking = rank(
        votes("a", "b", "first", 3) + votes("b", "a", "first", 2) + votes("b", "a", "tie", 4), ["a", "b", "c"]
    )
    found = {pair: (one.wins, one.losses, one.ties) for pair, one in ranking.records.items()}
    assert found["a", "b"] == (3, 2, 4)
    assert found["b", "a"] == (2, 3, 4)
    assert found["a", "c"] == (0, 0, 0)
    assert len(found) == 6


def test_without_votes_nothing_is_known() -> None:
    ranking = rank([], "ab")
    assert [(one.share, one.interval, one.votes) for one in ranking.standings] == [(0.5, UNKNOWN, 0)] * 2
    assert ranking.preliminary


def test_without_arms_the_ranking_is_empty() -> None:
    assert not rank([], []).standings


def test_an_arm_without_votes_changes_no_other_arm() -> None:
    compared = votes("a", "b", "first", 30, 6) + votes("a", "b", "second", 20, 6)
    two, three = rank(compared, "ab").standings, rank(compared, "abc").standings
    assert [one for one in three if one.arm != "c"] == list(two)
    assert next(one for one in three if one.arm == "c").interval == UNKNOWN


@pytest.mark.parametrize("listeners", [1, 8])
def test_ties_alone_leave_all_arms_equal_with_wide_intervals(listeners: int) -> None:
    ranking = rank(votes("a", "b", "tie", 40, listeners), "ab")
    assert [one.share for one in ranking.standings] == pytest.approx([0.5, 0.5])
    assert finite(ranking)
    assert ranking.preliminary


@pytest.mark.parametrize("listeners", [1, 4, 5, 20])
def test_an_arm_that_wins_all_votes_has_a_finite_interval_with_a_width(listeners: int) -> None:
    best, worst = (ranking := rank(votes("a", "b", "first", 40, listeners), "ab")).standings
    assert finite(ranking)
    assert best.share > 0.8 > 0.2 > worst.share
    assert best.interval[0] < best.share - 0.05 < best.interval[1]


def test_arms_that_nothing_connects_keep_wide_intervals() -> None:
    ranking = rank(votes("a", "b", "first", 200) + votes("c", "d", "first", 200), "abcd")
    assert finite(ranking)
    assert all(one.preliminary for one in ranking.standings)


def test_a_single_vote_gives_a_finite_ranking() -> None:
    assert finite(rank(votes("a", "b", "first", 1), "ab"))


def test_comparisons_with_other_arms_are_ignored() -> None:
    known = votes("a", "b", "first", 5)
    assert rank(known + votes("a", "z", "second", 50) + votes("a", "a", "first", 5), "ab") == rank(known, "ab")


def test_listeners_who_differ_widen_the_interval() -> None:
    alike = [vote for k in range(10) for vote in votes("a", "b", "first", 10, 10) + votes("a", "b", "second", 10, 10)]
    apart = [
        PairVote(listener=str(one % 10), line="x", first="a", second="b", outcome=("first", "second")[one % 2])
        for one in range(200)
    ]
    widths = [(best := rank(found, "ab").standings[0].interval)[1] - best[0] for found in (alike, apart)]
    assert widths[1] > 2 * widths[0]


def test_a_ranking_is_preliminary_until_the_intervals_are_narrow() -> None:
    assert rank(many("abc", 100), "abc").preliminary
    assert not rank(many("abc", 1500), "abc").preliminary


def test_six_arms_with_600_votes_each_are_ranked_in_time() -> None:
    arms, found = "abcdef", many("abcdef", 3600)
    start = time.perf_counter()
    rank(found, arms)
    assert time.perf_counter() - start < 1.5
