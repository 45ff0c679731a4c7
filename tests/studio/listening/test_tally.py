"""Votes are counted by arms, and the interval is the exact one."""

from pathlib import Path

import pytest
from scipy.stats import binomtest

from studio.history import History
from studio.listening.tally import clopper_pearson, tally
from studio.listening.trial import Choice, Contender, Side, Trial
from tests.studio.listening.takes import keep


@pytest.mark.parametrize(("wins", "count"), [(0, 1), (1, 1), (3, 7), (0, 20), (20, 20), (57, 100)])
def test_the_interval_is_the_exact_binomial_one(wins: int, count: int) -> None:
    exact = binomtest(wins, count).proportion_ci(0.95, method="exact")
    assert clopper_pearson(wins, count) == pytest.approx((exact.low, exact.high), abs=1e-9)


def test_without_votes_the_interval_is_everything() -> None:
    assert clopper_pearson(0, 0) == (0.0, 1.0)


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path)


def trial(history: History, a: dict[str, object], b: dict[str, object], choice: Choice, sealed: bool = True) -> Trial:
    one, other = (
        Side(contender=Contender.of(keep(history, **made)), token="t", fetched_at=1.0, heard_s=2.0)  # type: ignore[arg-type]
        for made in (a, b)
    )
    return Trial(
        id="x",
        session_id="anna",
        a=one,
        b=other,
        opened_at=1.0,
        choice=choice,
        voted_at=2.0,
        sealed_at=3.0 if sealed else None,
    )


F5, S1 = {"engine": "f5"}, {"engine": "s1"}


def test_wins_are_the_arms_whichever_side_it_was_on(history: History) -> None:
    votes = [
        trial(history, F5, S1, "a"),
        trial(history, S1, F5, "b"),
        trial(history, S1, F5, "a"),
        trial(history, F5, S1, "tie"),
    ]
    (one,) = tally(votes)
    assert (one.first.engine, one.second.engine) == ("f5", "s1")
    assert (one.wins, one.losses, one.ties) == (2, 1, 1)


def test_settings_make_arms_and_seeds_do_not(history: History) -> None:
    seven, sixteen = {"steps": 7}, {"steps": 16}
    votes = [
        trial(history, seven | {"seed": 1}, sixteen | {"seed": 2}, "a"),
        trial(history, sixteen | {"seed": 3}, seven | {"seed": 4}, "b"),
        trial(history, seven | {"seed": 1}, seven | {"seed": 2}, "a"),
    ]
    (one,) = tally(votes)
    assert {one.wins, one.losses} == {0, 2}


def test_takes_of_two_lines_or_two_voices_are_not_counted(history: History) -> None:
    assert not tally([trial(history, F5, S1 | {"text": "Another line."}, "a")])
    assert not tally([trial(history, F5, S1 | {"clip_id": "other"}, "a")])


def test_a_vote_counts_once_it_is_sealed(history: History) -> None:
    assert not tally([trial(history, F5, S1, "a", sealed=False)])


def test_checkpoints_of_one_engine_are_two_arms(history: History) -> None:
    (one,) = tally([trial(history, F5, F5 | {"checkpoint": "full"}, "b")])
    assert (one.first.checkpoint, one.second.checkpoint, one.losses) == ("embedded", "full", 1)
