"""The votes of a listening session as a table."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from studio.listening.sessions.conduct import SIDES, is_passed, scores_of, trial_of
from studio.listening.sessions.results import SessionResults
from studio.listening.sessions.rows import ListenerRow, VoteRow
from studio.listening.sessions.session import SessionPlan
from studio.listening.sessions.trials import SessionSide, SessionTrial
from studio.script.delivery.text import csv_text

HEAD = [
    "listener",
    "excluded",
    "number",
    "kind",
    "line",
    "side",
    "arm",
    "answer",
    "score",
    "right",
    "seconds",
    "voted at",
]


def votes_csv(
    plan: SessionPlan, votes: Sequence[VoteRow], results: SessionResults, listeners: Sequence[ListenerRow]
) -> str:
    """Return a row for each side of each vote."""
    order = {row.id: at for at, row in enumerate(listeners, 1)}
    cast = [vote for vote in votes if vote.stage == "trials"]
    rows = (row for vote in cast for row in _rows(plan, vote, order.get(vote.listener_id, 0), results))
    return csv_text([HEAD, *rows])


def _rows(plan: SessionPlan, vote: VoteRow, listener: int, results: SessionResults) -> Iterator[list[str]]:
    trial, scores = trial_of(vote), scores_of(vote)
    at = datetime.fromtimestamp(vote.voted_at, UTC).isoformat(timespec="seconds")
    right = _right(vote, trial)
    for place, side in enumerate(trial.sides):
        chosen = vote.choice or ""
        if vote.choice in SIDES:
            chosen = "preferred" if SIDES.index(vote.choice) == place else ""
        yield [
            str(listener),
            results.excluded.get(vote.listener_id, ""),
            str(vote.number + 1),
            trial.kind,
            plan.lines[trial.line],
            "ABCDEFGH"[place],
            _named(plan, side),
            chosen,
            f"{scores[place]:g}" if place in scores else "",
            right,
            f"{vote.took_s:.1f}",
            at,
        ]


def _right(vote: VoteRow, trial: SessionTrial) -> str:
    if trial.right is None and trial.kind != "catch":
        return ""
    return "yes" if is_passed(vote, trial) else "no"


def _named(plan: SessionPlan, side: SessionSide) -> str:
    name = plan.arms[side.arm].name
    return f"{name} ({side.treatment})" if side.treatment else name
