"""Summarise the votes of a listener for screening."""

import json
from collections.abc import Sequence
from functools import lru_cache
from statistics import median

from pydantic import TypeAdapter

from studio.listening.sessions import headphones
from studio.listening.sessions.rows import ListenerRow, VoteRow
from studio.listening.sessions.trials import SessionTrial
from studio.listening.statistics import CATCH_TRIALS, Conduct

TRIAL = TypeAdapter(SessionTrial)
LOW_SCORE = 2  # highest MOS of a damaged sound from an attentive listener
SIDES = ("a", "b")


def conduct(row: ListenerRow, votes: Sequence[VoteRow]) -> Conduct:
    """Return how a listener worked; `votes` are all votes of the listener."""
    cast = [(vote, trial_of(vote)) for vote in votes if vote.stage == "trials"]
    catches = [is_passed(vote, trial) for vote, trial in cast if trial.kind == "catch"]
    ordinary = [vote for vote, trial in cast if trial.kind == "trial"]
    sided = [vote.choice for vote in ordinary if vote.choice in SIDES]
    return Conduct(
        listener=row.id,
        catch_trials=len(catches),
        catch_passed=sum(catches),
        votes=len(sided),
        left_votes=sided.count("a"),
        median_s=median(vote.took_s for vote in ordinary) if ordinary else None,
        headphones_passed=_headphones_passed(row, votes),
    )


def needs_further_catches(votes: Sequence[VoteRow]) -> bool:
    """Return True if exactly one of the first catch trials has a wrong answer."""
    cast = sorted((vote for vote in votes if vote.stage == "trials"), key=lambda vote: vote.number)
    catches = [is_passed(vote, trial) for vote in cast if (trial := trial_of(vote)).kind == "catch"]
    return catches[:CATCH_TRIALS].count(False) == 1


def is_ordinary(vote: VoteRow) -> bool:
    """Return True for a vote on an ordinary trial: no practice trial, catch trial or headphone check."""
    return vote.stage == "trials" and trial_of(vote).kind == "trial"


def trial_of(vote: VoteRow) -> SessionTrial:
    """Return the trial of a vote."""
    return _read_trial(vote.trial)


@lru_cache(10_000)
def _read_trial(text: str) -> SessionTrial:
    return TRIAL.validate_json(text)


def scores_of(vote: VoteRow) -> dict[int, float]:
    """Return the scores of a vote by index of the side."""
    return {int(side): float(score) for side, score in json.loads(vote.scores).items()}


def is_passed(vote: VoteRow, trial: SessionTrial) -> bool:
    """Return True if the answer to a catch trial is right."""
    if vote.choice is None:
        return all(score <= LOW_SCORE for score in scores_of(vote).values())
    return vote.choice in SIDES and SIDES.index(vote.choice) == trial.right


def _headphones_passed(row: ListenerRow, votes: Sequence[VoteRow]) -> bool | None:
    checks = [vote for vote in votes if vote.stage == "headphones"]
    if len(checks) < headphones.CHECKS:
        return None
    return sum(vote.choice == headphones.quietest(row.seed, vote.number) for vote in checks) >= headphones.PASSED
