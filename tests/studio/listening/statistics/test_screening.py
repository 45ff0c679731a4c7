"""Careless listeners are excluded, honest listeners are not."""

from dataclasses import replace

import numpy as np
import pytest

from studio.listening.statistics import CATCH_TRIALS, EXTRA_CATCH_TRIALS, Conduct, catch_trials_due, screen
from tests.studio.listening.statistics.listeners import CARELESS, Press, any_side, conduct, honest, left, right, tie

HONEST = Conduct(
    listener="anna",
    catch_trials=4,
    catch_passed=4,
    votes=16,
    left_votes=8,
    median_s=12.0,
    headphones_passed=True,
)
LISTENERS = 5000


def excluded(press: Press, trials: int, listeners: int = LISTENERS) -> float:
    rng = np.random.default_rng(1)
    found = screen(conduct(rng, press, str(place), trials) for place in range(listeners))
    return len(found) / listeners


@pytest.mark.parametrize("trials", [10, 40])
def test_at_most_5_percent_of_honest_listeners_are_excluded(trials: int) -> None:
    share = excluded(honest, trials)
    print(f"honest, {trials} trials: {share:.2%} excluded")
    assert share <= 0.05


@pytest.mark.parametrize("trials", [10, 40])
@pytest.mark.parametrize("press", CARELESS)
def test_at_least_90_percent_of_careless_listeners_are_excluded(press: Press, trials: int) -> None:
    share = excluded(press, trials)
    print(f"{press.__name__}, {trials} trials: {share:.2%} excluded")
    assert share >= 0.90


@pytest.mark.parametrize("press", [left, right, tie])
def test_a_listener_who_always_presses_one_button_is_always_excluded(press: Press) -> None:
    assert excluded(press, 10, 500) == 1


def test_shares_of_excluded_listeners_match_the_docstring() -> None:
    wrong = {"honest": 1 - (0.97**4 + 4 * 0.03 * 0.97**7), "any side": 1 - (0.5**4 + 4 * 0.5**8)}
    assert wrong == {"honest": pytest.approx(0.018, abs=5e-4), "any side": pytest.approx(0.922, abs=5e-4)}
    assert excluded(honest, 0, 20_000) == pytest.approx(wrong["honest"], abs=0.004)
    assert excluded(any_side, 0, 20_000) == pytest.approx(wrong["any side"], abs=0.008)


def test_a_listener_without_a_wrong_answer_gets_no_extra_catch_trials() -> None:
    assert catch_trials_due(HONEST) == 0


def test_a_new_listener_gets_four_catch_trials() -> None:
    assert catch_trials_due(replace(HONEST, catch_trials=0, catch_passed=0)) == CATCH_TRIALS == 4


def test_one_wrong_answer_brings_four_more_catch_trials() -> None:
    assert catch_trials_due(replace(HONEST, catch_passed=3)) == EXTRA_CATCH_TRIALS == 4
    assert catch_trials_due(replace(HONEST, catch_trials=8, catch_passed=7)) == 0


def test_a_listener_with_two_wrong_answers_gets_no_more_catch_trials() -> None:
    assert catch_trials_due(replace(HONEST, catch_trials=3, catch_passed=1)) == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"catch_passed": 2}, "Gave a wrong answer in 2 of 4 catch trials."),
        ({"votes": 11, "left_votes": 0}, "Voted for the right side in 11 of 11 votes."),
        ({"votes": 40, "left_votes": 33}, "Voted for the left side in 33 of 40 votes."),
        ({"median_s": 1.4}, "Needed less than 1.5 s for half of the trials, which is too short to hear the sounds."),
        ({"headphones_passed": False}, "Failed the headphone check."),
    ],
)
def test_the_reason_says_what_was_wrong(change: dict[str, int], reason: str) -> None:
    assert screen([replace(HONEST, **change)]) == {"anna": reason}


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"catch_trials": 8, "catch_passed": 7},
        {"votes": 10, "left_votes": 0},
        {"votes": 0, "left_votes": 0, "median_s": None},
        {"headphones_passed": None},
    ],
)
def test_an_honest_listener_stays(change: dict[str, int]) -> None:
    assert screen([replace(HONEST, **change)]) == {}


def test_without_listeners_nobody_is_excluded() -> None:
    assert screen([]) == {}
