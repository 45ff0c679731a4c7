"""Ranking of arms by blind comparisons."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from studio.listening.statistics.answers import Outcome, PairVote
from studio.listening.statistics.davidson import Floats, VoteArrays, fit
from studio.listening.tally import CONFIDENCE

LEAST_LISTENERS = 5  # with fewer listeners, their differences say too little about other listeners
MODEL_SHARE = 0.8  # of the interval for independent votes: the least width, because few listeners may agree by chance
NARROW = 0.15  # width of an interval from which on a standing is not preliminary: 0.5 ± 0.075


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Votes on an ordered pair of arms, seen from the first arm."""

    wins: int = 0
    losses: int = 0
    ties: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The result of one arm."""

    arm: str
    share: float  # expected share of wins against the average arm, 0 to 1, ties left out
    interval: tuple[float, float]  # 95 %
    votes: int  # comparisons with this arm, ties included

    @property
    def preliminary(self) -> bool:
        """Return True until the interval is narrow."""
        return self.interval[1] - self.interval[0] > NARROW


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """All arms, best first, and the votes on each pair of arms."""

    standings: Sequence[Standing]  # the highest lower bound comes first
    records: Mapping[tuple[str, str], Record]  # every ordered pair of two arms

    @property
    def preliminary(self) -> bool:
        """Return True until the intervals of all arms are narrow."""
        return any(standing.preliminary for standing in self.standings)


def rank(comparisons: Sequence[PairVote], arms: Sequence[str]) -> Ranking:
    """Rank arms with Davidson's model; comparisons with other arms, or of an arm with itself, are ignored.

    The average arm has the mean log strength of all arms with votes. For two arms, the share is therefore closer to 0.5
    than the share of wins of one arm against the other (see `preference`). An arm without votes has share 0.5 and
    interval (0, 1).

    With at least 5 listeners, intervals hold for further listeners: the standard error comes from a jackknife over
    listeners, and the quantile from Student's t. An interval has at least 0.8 times the width for independent votes;
    without this limit, the interval of an arm that all listeners always prefer has no width. With fewer listeners, votes
    count as independent, and the intervals hold for these listeners only. A bootstrap is not used: its intervals are too
    narrow for few listeners and for an arm that wins all its votes.

    Arms that no chain of comparisons connects are compared through the prior only, so their intervals are wide.

    A ranking of 2, 3 or 6 arms usually stops being preliminary after 100, 300 or 1,000 votes without ties of 10 listeners.
    """
    known = [vote for vote in comparisons if {vote.first, vote.second} <= set(arms) and vote.first != vote.second]
    counts = Counter(arm for vote in known for arm in (vote.first, vote.second))
    compared = [arm for arm in dict.fromkeys(arms) if counts[arm]]
    results = _results(known, compared) if known else {}
    standings = [
        Standing(arm=arm, share=share, interval=interval, votes=counts[arm])
        for arm in dict.fromkeys(arms)
        for share, interval in [results.get(arm, (0.5, (0.0, 1.0)))]
    ]
    best_first = sorted(standings, key=lambda standing: (-standing.interval[0], -standing.share, standing.arm))
    return Ranking(standings=best_first, records=_records(known, arms))


def _results(comparisons: Sequence[PairVote], arms: Sequence[str]) -> dict[str, tuple[float, tuple[float, float]]]:
    """Return the share and the interval of each arm; each arm must occur in the comparisons."""
    from scipy.special import expit, stdtrit  # delays the studio's start otherwise

    places = {arm: place for place, arm in enumerate(arms)}
    listeners = {name: place for place, name in enumerate(dict.fromkeys(vote.listener for vote in comparisons))}
    votes = VoteArrays(
        first=np.array([places[vote.first] for vote in comparisons]),
        second=np.array([places[vote.second] for vote in comparisons]),
        outcome=np.array([get_args(Outcome).index(vote.outcome) for vote in comparisons]),
        listener=np.array([listeners[vote.listener] for vote in comparisons]),
    )
    model = fit(votes, len(arms))
    upper = 1 - (1 - CONFIDENCE) / 2
    half: Floats = stdtrit(np.inf, upper) * model.model_errors
    if model.listener_errors is not None and len(listeners) >= LEAST_LISTENERS:
        half = np.maximum(MODEL_SHARE * half, stdtrit(len(listeners) - 1, upper) * model.listener_errors)
    low, share, high = (expit(model.strengths + side * half).tolist() for side in (-1, 0, 1))
    return {arm: (share[place], (low[place], high[place])) for arm, place in places.items()}


def _records(comparisons: Sequence[PairVote], arms: Sequence[str]) -> dict[tuple[str, str], Record]:
    wins: Counter[tuple[str, str]] = Counter()
    ties: Counter[tuple[str, str]] = Counter()
    for vote in comparisons:
        pair, reverse = (vote.first, vote.second), (vote.second, vote.first)
        if vote.outcome == "tie":
            ties.update((pair, reverse))
        else:
            wins[pair if vote.outcome == "first" else reverse] += 1
    return {(a, b): Record(wins=wins[a, b], losses=wins[b, a], ties=ties[a, b]) for a in arms for b in arms if a != b}
