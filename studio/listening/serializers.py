"""Trials as JSON. Nothing about a side is disclosed before its vote is sealed; pages and endpoints use only this module."""

from collections.abc import Mapping
from typing import Any

from studio.listening.listening import Listening
from studio.listening.tally import Tally
from studio.listening.trial import Arm, Contender, Side, Trial

SOUNDS = "/studio/trials/sounds"  # followed by /{token}.wav


def compare_json(listening: Listening, session_id: str, trial: Trial | None) -> dict[str, Any]:
    """Return the data of the Compare page: the trial, its position among the pairs, the number of waiting pairs, and results.

    While a trial is not sealed, the results are None.
    """
    blind = trial is not None and trial.stage != "sealed"
    place = trial and listening.place(session_id, trial)
    return {
        "trial": trial and _shown(listening, trial),
        "place": place and {"pair": place[0], "pairs": place[1]},
        "pairs": listening.waiting(session_id),
        "tally": None if blind else [_tally(one) for one in listening.tally(session_id)],
    }


def _shown(listening: Listening, trial: Trial) -> dict[str, Any]:
    """Return a trial as JSON. A sealed trial also has what was heard in both takes."""
    shown = trial_json(trial)
    if trial.stage == "sealed":
        for name, side in (("a", trial.a), ("b", trial.b)):
            shown[name]["heard"] = listening.heard(trial.session_id, side.contender.take_id)
    return shown


def trial_json(trial: Trial) -> dict[str, Any]:
    """Return those facts of a trial that its listener may know now."""
    blind = {
        "id": trial.id,
        "stage": trial.stage,
        "choice": trial.choice,
        "sample_rate": max(side.contender.sample_rate for side in trial.sides),  # Hz, of both sides
        "must_hear_s": trial.must_hear_s,  # of each side
        "repeats": trial.repeats,  # if True, the vote is stored, but not counted
        "texts": list(trial.texts),  # one text, or two if the takes say different texts
        "a": _blind(trial.a),
        "b": _blind(trial.b),
    }
    if trial.stage != "sealed":
        return blind
    return blind | {
        "a": _blind(trial.a) | _named(trial.a.contender),
        "b": _blind(trial.b) | _named(trial.b.contender),
        "differs": list(trial.differs),
        "counts": trial.counts,
    }


def _blind(side: Side) -> dict[str, Any]:
    return {"sound": f"{SOUNDS}/{side.token}.wav"}


def _named(contender: Contender) -> dict[str, Any]:
    return {
        "take": contender.take_id,
        "engine": contender.engine,
        "checkpoint": contender.checkpoint,
        "settings": dict(contender.settings),
    }


def _tally(one: Tally) -> dict[str, Any]:
    low, high = one.interval
    return {
        "first": _arm(one.first, one.second),
        "second": _arm(one.second, one.first),
        "wins": one.wins,
        "losses": one.losses,
        "ties": one.ties,
        "low": low,  # lower bound of the share of wins among wins and losses
        "high": high,
    }


def _arm(arm: Arm, other: Arm) -> dict[str, Any]:
    """Return an arm with only those settings that differ from the other arm's."""
    others: Mapping[str, Any] = dict(other.settings)
    settings = {name: value for name, value in arm.settings if others.get(name) != value}
    return {"engine": arm.engine, "checkpoint": arm.checkpoint, "settings": settings}
