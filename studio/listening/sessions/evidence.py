"""What a champion records of the listening session that it won."""

from collections.abc import Mapping
from datetime import date

from studio.champion_format.champion import SessionEvidence, Votes
from studio.listening.sessions.results import SessionResults
from studio.listening.sessions.session import Method, SessionPlan

SHARE = "expected share of wins against the average arm"
SCALES: Mapping[Method, str] = {
    "ab": SHARE,
    "ab_reference": SHARE,
    "abx": "share of right answers",
    "mos": "mean opinion score (1 to 5)",
    "mushra": "MUSHRA score (0 to 100)",
}


def winner_votes(plan: SessionPlan, results: SessionResults, today: date) -> Votes:
    """Return the votes on the best arm, with its result. The results must have a best arm."""
    best = results.best or 0
    value, low, high = _result(results, str(best))
    records = results.ranking.records if results.ranking else {}
    own = [record for (first, _), record in records.items() if first == str(best)]
    return Votes(
        won=sum(record.wins for record in own),
        tied=sum(record.ties for record in own),
        lost=sum(record.losses for record in own),
        session=SessionEvidence(
            question=plan.question,
            method=plan.method,
            arm=plan.arms[best].name,
            other_arms=tuple(arm.name for at, arm in enumerate(plan.arms) if at != best),
            scale=SCALES[plan.method],
            value=round(value, 4),
            interval_low=round(low, 4),
            interval_high=round(high, 4),
            listeners=len({vote.listener_id for vote, _ in results.votes}),
            votes=len(results.votes),
            date=today.isoformat(),
        ),
    )


def _result(results: SessionResults, best: str) -> tuple[float, float, float]:
    if results.ranking:
        standing = next(one for one in results.ranking.standings if one.arm == best)
        return standing.share, *standing.interval
    found = (results.opinions or {})[best]
    low, high = found.interval or (found.mean, found.mean)
    return found.mean, low, high
