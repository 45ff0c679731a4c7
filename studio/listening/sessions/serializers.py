"""Listening sessions as JSON. What a listener gets contains nothing about the arms."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from studio.listening.sessions.conduct import is_passed
from studio.listening.sessions.listeners import CurrentTrial, ListenerState
from studio.listening.sessions.results import ANCHOR, PairResult, SessionResults
from studio.listening.sessions.rows import PLAN, InvitationRow, ListenerRow
from studio.listening.sessions.scores import ArmScores
from studio.listening.sessions.session import ListeningSession, Method, SessionPlan
from studio.listening.sessions.sessions import SessionStatus
from studio.listening.statistics import AbxResult, Opinion

INSTRUCTIONS: Mapping[Method, str] = {
    "ab": "Listen to A and B, then choose the better one.",
    "ab_reference": "Listen to the reference, A and B, then choose the one that is closer to the reference.",
    "abx": "X is the same recording as A or as B. Listen to all three, then choose the recording that is X.",
    "mos": "Listen to the sound, then rate its quality from 1 (bad) to 5 (excellent).",
    "mushra": "Listen to the reference, then rate each sound from 0 to 100. One of the sounds equals the reference.",
}


def listener_json(state: ListenerState) -> dict[str, Any]:
    """Return what a listener may know now."""
    plan = state.session.plan
    asks = enumerate(plan.questions if state.stage == "questions" else ())
    return {
        "title": plan.title or "Listening session",
        "question": plan.question,
        "instruction": INSTRUCTIONS[plan.method],
        "method": plan.method,
        "stage": state.stage,
        "number": state.number,
        "count": state.count,
        "trial": state.trial and _trial(state.trial),
        "can_undo": state.can_undo,
        "questions": [{"id": str(at), "text": one.text, "choices": list(one.choices) or None} for at, one in asks],
        "completion_code": state.completion_code,
    }


def _trial(trial: CurrentTrial) -> dict[str, Any]:
    reference = trial.reference and {"name": trial.reference[0], "url": _url(trial.reference[1])}
    return {
        "id": trial.id,
        "text": trial.text,
        "sounds": [{"name": name, "url": _url(token)} for name, token in trial.tokens.items()],
        "reference": reference,
        "choices": list(trial.choices),
        "must_hear_s": trial.must_hear_s,
    }


def _url(token: str) -> str:
    return f"sounds/{token}.wav"


def session_json(status: SessionStatus) -> dict[str, Any]:
    """Return a session with its progress, for the owner."""
    session = status.session
    return {
        "id": session.id,
        "plan": PLAN.dump_python(session.plan, mode="json"),
        "created_at": session.created_at,
        "state": _state(session, status),
        "failure": session.failure,
        "takes": status.takes,
        "made": status.made,
        "listeners": status.listeners,
        "votes": status.votes,
        "all_votes": status.all_votes,
        "current": status.current,
        "left_s": status.left_s,
    }


def _state(session: ListeningSession, status: SessionStatus) -> str:
    if session.closed:
        return "closed"
    if status.made == status.takes:
        return "open"
    return "rendering" if session.rendering else "failed" if session.failure else "paused"


def invitation_json(row: InvitationRow, now: float) -> dict[str, Any]:
    """Return a link without its secret."""
    over = row.expires_at is not None and now >= row.expires_at
    state = "revoked" if row.revoked_at is not None else "expired" if over else "valid"
    return {"id": row.id, "note": row.note, "created_at": row.created_at, "expires_at": row.expires_at, "state": state}


def results_json(
    plan: SessionPlan, results: SessionResults, listeners: Sequence[ListenerRow], scores: Sequence[ArmScores] = ()
) -> dict[str, Any]:
    """Return the results for the owner. Arms are indices of the plan's arms; "anchor" is the anchor of MUSHRA."""
    ranking = results.ranking
    return {
        "votes": len(results.votes),
        "best": results.best,
        "sure": results.sure,
        "preliminary": ranking.preliminary if ranking else None,
        "standings": [
            {
                "arm": int(one.arm),
                "share": one.share,
                "low": one.interval[0],
                "high": one.interval[1],
                "votes": one.votes,
                "preliminary": one.preliminary,
            }
            for one in (ranking.standings if ranking else ())
        ],
        "pairs": [_pair(one) for one in results.pairs],
        "opinions": [{"arm": arm, **_opinion(one)} for arm, one in (results.opinions or {}).items()],
        "contrasts": [
            {
                "first": int(one.first),
                "second": int(one.second),
                "difference": one.difference,
                "p": one.adjusted_p,
                "decided": one.decided,
            }
            for one in (results.mushra.contrasts if results.mushra else ())
        ],
        "agreement": results.agreement,
        # Before the first vote, the scores would influence listeners.
        "scores": [asdict(one) for one in scores] if results.votes else [],
        "lines": [{"text": text, "votes": _line_votes(plan, results, at)} for at, text in enumerate(plan.lines)],
        "voted_at": [vote.voted_at for vote, _ in results.votes],
        "listeners": [_listener(plan, row, results) for row in listeners],
    }


def _pair(pair: PairResult) -> dict[str, Any]:
    one = pair.result
    shared = {
        "first": pair.first,
        "second": pair.second,
        "share": one.share,
        "low": one.interval[0],
        "high": one.interval[1],
        "p": one.p,
        "decided": one.decided,
        "votes_needed": one.votes_needed,
    }
    if isinstance(one, AbxResult):
        return {**shared, "correct": one.correct, "count": one.count}
    return {**shared, "wins": one.wins, "losses": one.losses, "ties": one.ties}


def _opinion(one: Opinion) -> dict[str, Any]:
    low, high = one.interval or (None, None)
    return {"mean": one.mean, "low": low, "high": high, "ratings": one.ratings, "listeners": one.listeners}


def _line_votes(plan: SessionPlan, results: SessionResults, line: int) -> list[dict[str, Any]]:
    return [
        {
            "arms": [ANCHOR if side.treatment == ANCHOR else side.arm for side in trial.sides],
            "choice": vote.choice,
            "scores": json.loads(vote.scores),
            "right": trial.right is not None and is_passed(vote, trial) if plan.method == "abx" else None,
        }
        for vote, trial in results.votes
        if trial.line == line
    ]


def _listener(plan: SessionPlan, row: ListenerRow, results: SessionResults) -> dict[str, Any]:
    answers = json.loads(row.answers)
    return {
        "id": row.id[:8],
        "joined_at": row.joined_at,
        "completed_at": row.completed_at,
        "completion_code": row.completion_code,
        "votes": sum(vote.listener_id == row.id for vote, _ in results.votes),
        "excluded": results.excluded.get(row.id),
        "answers": {question.text: answers.get(str(at), "") for at, question in enumerate(plan.questions)},
    }
