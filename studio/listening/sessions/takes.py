"""The takes of a listening session in the history: one for each arm and line."""

import hashlib
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from engines.errors import EngineError
from engines.types import Audio
from studio.disk.database import NotSaved
from studio.history import History, StoredTake, UnknownTake
from studio.listening.sessions.session import ListeningSession, SessionPlan
from studio.listening.sessions.trials import SessionSide
from studio.order import SEEDS, Order
from studio.order_hash import hashed_values
from studio.speaking import SpeechService


@dataclass(frozen=True, slots=True)
class DueTake:
    """A take that a session needs."""

    session: ListeningSession
    line: int  # index
    order: Order

    @property
    def id(self) -> str:
        """Return an id that is equal for equal orders in one session, so that an edited session keeps its takes."""
        described = json.dumps([self.session.id, hashed_values(self.order)], sort_keys=True)
        return hashlib.sha256(described.encode()).hexdigest()[:32]


class SessionTakes:
    """Finds the takes of sessions. Thread-safe."""

    def __init__(self, history: History, speaking: SpeechService) -> None:
        self._history, self._speaking = history, speaking
        self._started_at = time.time()
        self._complete: dict[str, SessionPlan] = {}  # plans whose takes are all made, by session

    def are_made(self, session: ListeningSession) -> bool:
        """Return True if no take is due."""
        if self._complete.get(session.id) != session.plan:
            if next(self.due(session), None) is not None:
                return False
            self._complete[session.id] = session.plan
        return True

    def due(self, session: ListeningSession) -> Iterator[DueTake]:
        """Yield the takes that a session needs and the history lacks, line by line."""
        stored = {take.id for take in self._history.list(session.session_id)}
        plan = session.plan
        needed = (take_of(session, arm, line) for line in range(len(plan.lines)) for arm in range(len(plan.arms)))
        return (take for take in needed if take.id not in stored)

    def get(self, session: ListeningSession, arm: int, line: int) -> StoredTake:
        """Return the take of an arm and a line. Raises UnknownTake."""
        return self._history.get(session.session_id, take_of(session, arm, line).id)

    def copy_equal(self, due: DueTake, sessions: Iterable[ListeningSession]) -> bool:
        """Copy an equal take of another session, and return True; return False without one.

        Takes made before the studio started do not count, because the options of the engines may have changed.
        """
        if due.order.champion and not due.order.version:  # without a version, the champion may have changed since
            return False
        equal = (self._find(replace(due, session=other)) for other in sessions if other.id != due.session.id)
        take = next((one for one in equal if one and one.created_at.timestamp() >= self._started_at), None)
        if take is None:
            return False
        try:
            self._history.copy(take, due.session.session_id, due.id)
        except (UnknownTake, NotSaved):  # its file is gone, or the disk is full; the take is made again
            return False
        return True

    def _find(self, take: DueTake) -> StoredTake | None:
        try:
            return self._history.get(take.session.session_id, take.id)
        except UnknownTake:
            return None

    def reference(self, take: StoredTake) -> Audio | None:
        """Return the clip of a take's voice; None if the take has a built-in voice, or if the clip is deleted or unreadable."""
        try:
            if not self._speaking.uses_reference(take.order):
                return None
            return self._speaking.reference(take.order, take.session_id).audio
        except EngineError:
            return None

    def audio(self, session: ListeningSession, line: int, side: SessionSide) -> Audio:
        """Return the take of a side, or the clip of its voice. Raises UnknownTake, and EngineError if the voice is gone."""
        order = session.plan.arms[side.arm].order
        if side.treatment == "clip":
            return self._speaking.reference(order, session.session_id).audio
        return self._history.audio(session.session_id, take_of(session, side.arm, line).id)


def take_of(session: ListeningSession, arm: int, line: int) -> DueTake:
    """Return the take of an arm and a line. If an arm has no seed, the text determines it, so equal lines have equal takes."""
    text = session.plan.lines[line]
    order = replace(session.plan.arms[arm].order, text=text)
    return DueTake(session, line, order if order.seed is not None else replace(order, seed=_seed(text)))


def _seed(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) % SEEDS
