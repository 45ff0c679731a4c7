"""Votes and scores of listeners, and a summary of each listener."""

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["first", "second", "tie"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVote:
    """A listener's vote on two arms that speak the same line."""

    listener: str
    line: str
    first: str  # id of an arm
    second: str
    outcome: Outcome  # the preferred arm; the caller counts "both bad" as a tie


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """A listener's score for an arm and a line."""

    listener: str
    line: str
    arm: str
    score: float  # 1 to 5 (MOS) or 0 to 100 (MUSHRA)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conduct:
    """A summary of a listener's votes. Only `catch_trials` and `catch_passed` count catch trials."""

    listener: str
    catch_trials: int  # catch trials that the listener answered
    catch_passed: int  # catch trials in which the listener preferred the undamaged side
    votes: int  # votes for the left or the right side in ordinary trials; ties and "both bad" do not count
    left_votes: int  # votes for the left side among `votes`
    median_s: float | None  # median seconds from showing an ordinary trial to its vote; None without a vote
    headphones_passed: bool | None  # None if the session has no headphone check, or the listener did not finish it
