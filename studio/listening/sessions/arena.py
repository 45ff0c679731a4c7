"""Weights of the pairs in an arena: a listener hears most often the pairs whose winner is least certain."""

from math import exp, log

from studio.listening.sessions.results import SessionResults
from studio.listening.sessions.session import SessionPlan
from studio.listening.sessions.trials import groups_of
from studio.listening.statistics import Record

EDGE = 0.02  # shares nearer to 0 or 1 count as certain


def arena_weights(plan: SessionPlan, results: SessionResults) -> list[float]:
    """Return a weight for each pair of arms: the variance of its next vote, divided by the number of its votes plus one.

    Empty if the session is not an arena, or has no ranking.
    """
    if not plan.arena or results.ranking is None:
        return []
    shares = {int(one.arm): min(max(one.share, EDGE), 1 - EDGE) for one in results.ranking.standings}
    strengths = {arm: log(share / (1 - share)) for arm, share in shares.items()}
    records = results.ranking.records
    return [
        _weight(strengths[first] - strengths[second], _votes(records[str(first), str(second)]))
        for first, second in groups_of(plan)
    ]


def _votes(record: Record) -> int:
    return record.wins + record.losses + record.ties


def _weight(lead: float, votes: int) -> float:
    win = 1 / (1 + exp(-lead))
    return win * (1 - win) / (votes + 1)
