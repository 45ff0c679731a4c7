"""The trials of a listener are balanced, and the same after a restart."""

from collections import Counter

import pytest

from studio.listening.sessions.arena import arena_weights
from studio.listening.sessions.results import SessionResults
from studio.listening.sessions.session import SessionArm, SessionPlan
from studio.listening.sessions.trials import SessionSide, trials_of
from studio.listening.statistics import PairVote, rank
from studio.order import read_order


def plan(method: str = "ab", arms: int = 3, **changes: object) -> SessionPlan:
    named = tuple(
        SessionArm(name=f"Arm {at}", voice="anna", order=read_order({"seed": at, "engine": "f5"})) for at in range(arms)
    )
    lines = tuple(f"Line {at}." for at in range(5))
    return SessionPlan(name="x", question="y", method=method, arms=named, lines=lines, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["ab", "ab_reference", "abx", "mos", "mushra"])
def test_the_same_seed_gives_the_same_trials(method: str) -> None:
    assert trials_of(plan(method), 7) == trials_of(plan(method), 7)
    assert trials_of(plan(method), 7) != trials_of(plan(method), 8)


@pytest.mark.parametrize("seed", range(5))
def test_pairs_come_equally_often_and_each_arm_equally_often_on_the_left(seed: int) -> None:
    trials = trials_of(plan(trials=60, catches=False, practice=0), seed)
    pairs = Counter(frozenset(side.arm for side in trial.sides) for trial in trials)
    assert set(pairs.values()) == {20}
    for pair in pairs:
        lefts = Counter(trial.sides[0].arm for trial in trials if {side.arm for side in trial.sides} == pair)
        assert set(lefts.values()) == {10}


def test_a_line_of_a_pair_repeats_only_after_all_others() -> None:
    trials = trials_of(plan(arms=2, trials=10, catches=False, practice=0), 3)
    assert sorted(trial.line for trial in trials[:5]) == sorted(trial.line for trial in trials[5:]) == [0, 1, 2, 3, 4]


def test_half_of_the_catch_trials_have_the_damaged_side_on_the_left() -> None:
    for seed in range(20):
        catches = [trial for trial in trials_of(plan(), seed, further_catches=True) if trial.kind == "catch"]
        assert len(catches) == 8
        for block in (catches[:4], catches[4:]):
            assert sum(trial.sides[0].treatment == "damaged" for trial in block) == 2
        assert all(trial.sides[trial.right or 0].treatment == "" for trial in catches)


def test_further_catch_trials_leave_the_other_trials_unchanged() -> None:
    assert trials_of(plan(), 5, further_catches=True)[:15] == trials_of(plan(), 5)


def test_mushra_has_all_arms_the_anchor_and_an_open_reference() -> None:
    for trial in trials_of(plan("mushra", reference=1), 5):
        assert Counter(trial.sides) == Counter([*map(SessionSide, range(3)), SessionSide(1, "anchor")])
        assert trial.reference == SessionSide(1)


def test_x_is_each_side_about_equally_often() -> None:
    trials = trials_of(plan("abx", arms=2, trials=100, catches=False), 5)
    assert 35 <= sum(trial.right == 0 for trial in trials) <= 65


def test_an_arena_prefers_pairs_whose_winner_is_uncertain() -> None:
    cast = {("0", "1"): ["first"] * 20, ("1", "2"): ["first", "second"] * 2, ("0", "2"): ["first"] * 20}
    votes = [
        PairVote(listener="l", line="0", first=first, second=second, outcome=outcome)  # type: ignore[arg-type]
        for (first, second), outcomes in cast.items()
        for outcome in outcomes
    ]
    arena = plan(arena=True, trials=60, catches=False, practice=0)
    weights = arena_weights(arena, SessionResults(votes=(), excluded={}, ranking=rank(votes, ["0", "1", "2"])))
    assert weights[2] > 3 * max(weights[:2])  # the pairs are 0-1, 0-2 and 1-2
    pairs = Counter(frozenset(side.arm for side in trial.sides) for trial in trials_of(arena, 1, weights))
    assert pairs[frozenset({1, 2})] > 30
    assert arena_weights(plan(), SessionResults(votes=(), excluded={})) == []
