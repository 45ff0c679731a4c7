"""Blind listening, the use case of the Compare page: draw pairs, collect votes, reveal the sides."""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from engines.types import Audio
from studio.history import History, StoredTake, UnknownTake
from studio.listening.loudness_match import matched, wav
from studio.listening.pairs import pairs
from studio.listening.rows import Trials
from studio.listening.tally import Tally, record, tally
from studio.listening.trial import BadPair, Ballot, Contender, Decided, NoPairs, Side, Trial

DRAW = secrets.SystemRandom()


class Listening:
    """One trial at a time for each session. Thread-safe."""

    def __init__(self, history: History, data_dir: Path, now: Callable[[], float] = time.time) -> None:
        """Open the trials; `now` returns seconds since 1970."""
        self._history = history
        self._trials = Trials(data_dir)
        self._now = now

    def open(self, session_id: str, take_a: str, take_b: str) -> Trial:
        """Begin a trial of two takes of this session, and assign them to random sides. The session's current trial ends.

        Raises UnknownTake, BadPair, NotSaved.
        """
        if take_a == take_b:
            raise BadPair("A and B are the same take; choose two different takes")
        return self._begin(session_id, (self._history.get(session_id, take_a), self._history.get(session_id, take_b)))

    def next(self, session_id: str) -> Trial:
        """Begin a trial of a random pair of the newest line that has pairs, if possible not of the last pair.

        Raises NoPairs, NotSaved.
        """
        groups = self._pairs(session_id)
        if not groups:
            raise NoPairs("no pair is left; speak one line with two engines or settings, then press Next pair")
        current = self.current(session_id)
        fresh = [pair for group in groups for pair in group if not current or _ids(pair) != current.pair]
        newest = [pair for pair in groups[0] if pair in fresh] or fresh or groups[0]
        return self._begin(session_id, DRAW.choice(newest))

    def current(self, session_id: str) -> Trial | None:
        """Return the trial whose sides are not disclosed yet, or None."""
        return next((trial for trial in self._trials.all(session_id) if trial.stage != "sealed"), None)

    def waiting(self, session_id: str) -> int:
        """Count the pairs that `next` can draw."""
        return sum(map(len, self._pairs(session_id)))

    def place(self, session_id: str, trial: Trial) -> tuple[int, int] | None:
        """Return the position of the trial's pair among all pairs, from 1 in the order of votes, and the number of pairs.

        Return None if `next` would not draw this pair: the takes have different lines or equal settings, or were deleted.
        """
        takes = self._history.list(session_id)
        every = {_ids(pair) for group in pairs(takes, ()) for pair in group}
        if trial.pair not in every or trial.repeats:
            return None
        voted = {one.pair for one in self._trials.all(session_id) if one.choice and one.id != trial.id}
        return len(every & voted) + 1, len(every)

    def sound(self, session_id: str, token: str) -> bytes:
        """Return one side as WAV, with the loudness of the other side.

        Both sides are computed at every call, so that the response time reveals nothing. Raises UnknownTrial, and UnknownTake
        if either take was deleted.
        """
        trial = self._trials.of_token(session_id, token)
        name = "a" if trial.a.token == token else "b"
        a, b = matched(*self._takes(trial))
        encoded = wav(a if name == "a" else b)
        if (trial.a if name == "a" else trial.b).fetched_at is None:
            self._trials.change(trial, **{f"{name}_fetched_at": self._now()})
        return encoded

    def vote(self, session_id: str, id: str, ballot: Ballot) -> Trial:
        """Store a vote durably. Raises UnknownTrial, NotHeard, Decided, NotSaved."""
        trial, now = self._trials.get(session_id, id), self._now()
        if trial.stage != "open":
            raise Decided("this trial already has a vote; press Next pair")
        heard = ballot.believed(trial, now)
        return self._change(trial, **_renamed(heard), voted_at=now)

    def undo(self, session_id: str, id: str) -> Trial:
        """Take back a vote before the sides are revealed. Raises UnknownTrial, Decided, NotSaved."""
        trial = self._trials.get(session_id, id)
        if trial.stage == "open":
            raise Decided("this trial has no vote to undo; listen to both sides, then vote")
        if trial.stage != "voted":
            raise Decided("this vote cannot be undone, because the names are already shown; press Next pair")
        return self._change(trial, choice=None, voted_at=None, a_heard_s=0.0, b_heard_s=0.0)

    def reveal(self, session_id: str, id: str) -> Trial:
        """Seal the vote and reveal the sides. Raises UnknownTrial, Decided, NotSaved."""
        trial = self._trials.get(session_id, id)
        if trial.stage == "open":
            raise Decided("this trial has no vote yet; listen to both sides, then vote")
        return trial if trial.stage == "sealed" else self._change(trial, sealed_at=self._now())

    def leave(self, session_id: str, id: str) -> None:
        """Remove a trial without a vote; its sides stay secret. Raises UnknownTrial, Decided, NotSaved."""
        trial = self._trials.get(session_id, id)
        if trial.stage != "open":
            raise Decided("this trial already has a vote; press Next pair")
        self._trials.forget(trial)

    def tally(self, session_id: str) -> Sequence[Tally]:
        """Return the results of this session's sealed votes."""
        return tally(self._trials.all(session_id))

    def record(self, session_id: str, take_id: str) -> tuple[int, int, int]:
        """Return how often a take won, tied and lost in this session's blind trials."""
        return record(self._trials.all(session_id), take_id)

    def heard(self, session_id: str, take_id: str) -> Mapping[str, Any] | None:
        """Return what was heard in a take; None for an unheard or deleted take. Show this only after the vote is sealed."""
        with suppress(UnknownTake):
            return self._history.get(session_id, take_id).heard
        return None

    def _begin(self, session_id: str, takes: Sequence[StoredTake]) -> Trial:
        now = self._now()
        a, b = (_side(take) for take in DRAW.sample(takes, 2))
        trial = Trial(
            id=secrets.token_urlsafe(16),
            session_id=session_id,
            a=a,
            b=b,
            opened_at=now,
            choice=None,
            voted_at=None,
            sealed_at=None,
        )
        self._trials.begin(trial, now)
        return self._trials.get(session_id, trial.id)

    def _takes(self, trial: Trial) -> tuple[Audio, Audio]:
        a, b = (side.contender.take_id for side in trial.sides)
        try:
            return self._history.audio(trial.session_id, a), self._history.audio(trial.session_id, b)
        except UnknownTake as error:
            raise UnknownTake("one of the two takes was deleted; leave this comparison, or press Next pair") from error

    def _pairs(self, session_id: str) -> list[list[tuple[StoredTake, StoredTake]]]:
        voted = {trial.pair for trial in self._trials.all(session_id) if trial.choice}
        return pairs(self._history.list(session_id), voted)

    def _change(self, trial: Trial, **values: object) -> Trial:
        if not self._trials.change(trial, **values):
            raise Decided("this trial changed in another window; reload the page")
        return self._trials.get(trial.session_id, trial.id)


def _side(take: StoredTake) -> Side:
    return Side(contender=Contender.of(take), token=secrets.token_urlsafe(16), fetched_at=None, heard_s=0.0)


def _ids(pair: Sequence[StoredTake]) -> frozenset[str]:
    return frozenset(take.id for take in pair)


def _renamed(ballot: Ballot) -> dict[str, object]:
    return {"choice": ballot.choice, "a_heard_s": ballot.heard_a_s, "b_heard_s": ballot.heard_b_s}
