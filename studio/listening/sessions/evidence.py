"""Write the result of a listening session into the champion that is made from its best arm."""

from collections.abc import Mapping
from datetime import date

from studio.champion_format.champion import SessionEvidence, Votes
from studio.listening.sessions.results import SessionResults
from studio.listening.sessions.session import RANKED, Method, SessionPlan

SHARE = "expected share of wins against the average arm"
PAIR_SHARE = "share of the votes with a preference"
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
    value, low, high = _result(plan, results, best)
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
            scale=scale_of(plan),
            value=round(value, 4),
            interval_low=None if low is None else round(low, 4),
            interval_high=None if high is None else round(high, 4),
            decided=results.sure,
            listeners=len({vote.listener_id for vote, _ in results.votes}),
            votes=len(results.votes),
            date=today.isoformat(),
        ),
    )


def scale_of(plan: SessionPlan) -> str:
    """Return what a result of the session is."""
    return PAIR_SHARE if plan.method in RANKED and len(plan.arms) == 2 else SCALES[plan.method]


def _result(plan: SessionPlan, results: SessionResults, best: int) -> tuple[float, float | None, float | None]:
    if scale_of(plan) == PAIR_SHARE:
        (pair,) = results.pairs
        low, high = pair.result.interval
        share = 0.5 if pair.result.share is None else pair.result.share
        return (share, low, high) if pair.first == best else (1 - share, 1 - high, 1 - low)
    if results.ranking:
        standing = next(one for one in results.ranking.standings if one.arm == str(best))
        return standing.share, *standing.interval
    found = (results.opinions or {})[str(best)]
    return found.mean, *(found.interval or (None, None))
