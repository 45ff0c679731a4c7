"""Listening sessions, the owner's use case: create, edit, render, invite, close, delete."""

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.scheduling.manager import Manager
from studio.ears.ears import Ears
from studio.history import History, StoredTake
from studio.listening.sessions.conduct import is_ordinary
from studio.listening.sessions.invitations import Invitations
from studio.listening.sessions.listeners import Listeners
from studio.listening.sessions.renderer import SessionRenderer
from studio.listening.sessions.results import SessionResults, results_of
from studio.listening.sessions.rows import PLAN, ListenerRow, SessionRow, SessionTables, VoteRow
from studio.listening.sessions.scores import ArmScores, scores_of_takes
from studio.listening.sessions.session import (
    ListeningSession,
    PlanIsFixed,
    SessionNotReady,
    SessionPlan,
    UnknownSession,
)
from studio.listening.sessions.sounds import TrialSounds
from studio.listening.sessions.take_checks import TakeChecks
from studio.listening.sessions.takes import DueTake, SessionTakes, take_of
from studio.order import Order
from studio.speaking import SpeechService


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStatus:
    """A session with its progress."""

    session: ListeningSession
    takes: int
    made: int
    listeners: int  # with a vote on an ordinary trial
    votes: int  # on ordinary trials, also of excluded listeners
    all_votes: int  # on ordinary, practice and catch trials, and in headphone checks
    current: str  # arm and line of the take that is being made; empty if none is
    left_s: float | None  # seconds until all takes are made; None if that is unknown


class ListeningSessions:
    """All listening sessions of the studio. Thread-safe."""

    def __init__(
        self,
        data_dir: Path,
        manager: Manager,
        history: History,
        speaking: SpeechService,
        ears: Ears,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Open the sessions; `now` returns seconds since 1970."""
        self._tables, self._now = SessionTables(data_dir), now
        self._takes = SessionTakes(history, speaking)
        self._history, self._manager = history, manager
        self.invitations = Invitations(self._tables, now)
        self._sounds = TrialSounds(lambda id, line, side: self._takes.audio(self.get(id), line, side))
        self.listeners = Listeners(self._tables, self.invitations, self._ready, self._sounds, now)
        self._checks = TakeChecks(ears, history, self._takes, self._stored_takes)
        self.renderer = SessionRenderer(
            manager, speaking, history, self._next_due, self._is_wanted, self._failed, self._checks.wake
        )

    def start(self) -> None:
        """Start making and checking takes."""
        self.renderer.start()
        self._checks.start()

    def close(self) -> None:
        """Stop making and checking takes. Both continue at the next start."""
        self.renderer.close()
        self._checks.close()

    def list(self) -> Sequence[SessionStatus]:
        """Return the sessions, newest first."""
        rows = self._tables.sessions.where(deleted=False)
        return [self._status(row.session()) for row in sorted(rows, key=lambda row: -row.created_at)]

    def get(self, id: str, *, deleted: bool = False) -> ListeningSession:
        """Return a session; `deleted` allows a deleted one. Raises UnknownSession."""
        row = self._tables.sessions.get(id)
        if row is None or (row.deleted and not deleted):
            raise UnknownSession("this listening session does not exist any more; choose another one")
        return row.session()

    def status(self, id: str) -> SessionStatus:
        """Return a session with its progress. Raises UnknownSession."""
        return self._status(self.get(id))

    def create(self, plan: SessionPlan) -> SessionStatus:
        """Store a new session, and begin to make its takes. Raises BadSession, NotSaved."""
        plan.check()
        row = SessionRow(
            id=secrets.token_hex(8), created_at=self._now(), plan=PLAN.dump_json(plan).decode(), rendering=True
        )
        self._tables.sessions.add(row)
        self.renderer.wake()
        return self.status(row.id)

    def edit(self, id: str, plan: SessionPlan) -> SessionStatus:
        """Replace the plan of a session that has no votes, and make the missing takes. Raises BadSession, PlanIsFixed."""
        plan.check()
        before = self.get(id)
        if self._tables.votes.where(listening_id=id):
            raise PlanIsFixed("this session has votes, so it cannot change; duplicate the session instead")
        # Continue a render that ran, failed or was complete; a paused render stays paused.
        rendering = before.rendering or bool(before.failure) or self._takes.are_made(before)
        changed = self._change(id, plan=PLAN.dump_json(plan).decode(), rendering=rendering, failure="")
        self._sounds.forget(id)
        return changed

    def results(self, id: str) -> tuple[SessionResults, Sequence[ListenerRow]]:
        """Return the results of a session, and the listeners who voted on ordinary trials, in the order in which they joined.

        A deleted session is accepted, because a page may send the request before it learns of the deletion. Raises
        UnknownSession.
        """
        session, votes = self.get(id, deleted=True), self._tables.votes.where(listening_id=id)
        voted = {vote.listener_id for vote in votes if is_ordinary(vote)}
        rows = [row for row in self._tables.listeners.where(listening_id=id) if row.id in voted]
        listeners = sorted(rows, key=lambda row: row.joined_at)
        return results_of(session.plan, listeners, votes), listeners

    def set_rendering(self, id: str, rendering: bool) -> SessionStatus:
        """Start or pause the render. Raises UnknownSession, NotSaved."""
        return self._change(id, rendering=rendering, failure="")

    def set_closed(self, id: str, closed: bool) -> SessionStatus:
        """Close a session for listeners, or open it again. Raises UnknownSession, NotSaved."""
        return self._change(id, closed=closed)

    def delete(self, id: str) -> None:
        """Delete a session, so that it can be restored. Raises UnknownSession, NotSaved."""
        self._tables.sessions.change(self.get(id).id, deleted=True)

    def restore(self, id: str) -> SessionStatus:
        """Undo the deletion of a session. Raises UnknownSession, NotSaved."""
        self._tables.sessions.change(id, deleted=False)
        self.renderer.wake()
        return self.status(id)

    def scores(self, id: str) -> Sequence[ArmScores]:
        """Return the automatic checks of each arm's takes. A deleted session is accepted. Raises UnknownSession."""
        session = self.get(id, deleted=True)
        takes = {take.id: take for take in self._history.list(session.session_id)}
        return [
            scores_of_takes(takes.get(take_of(session, arm, line).id) for line in range(len(session.plan.lines)))
            for arm in range(len(session.plan.arms))
        ]

    def votes(self, id: str) -> Sequence[VoteRow]:
        """Return all votes of a session, oldest first. Raises UnknownSession."""
        return sorted(self._tables.votes.where(listening_id=self.get(id).id), key=lambda vote: vote.voted_at)

    def take(self, id: str, arm: int, line: int) -> StoredTake:
        """Return the take of an arm and a line. Raises UnknownSession, UnknownTake."""
        session = self.get(id)
        if not (0 <= arm < len(session.plan.arms) and 0 <= line < len(session.plan.lines)):
            raise UnknownSession("the session has no such arm or line; reload the page")
        return self._takes.get(session, arm, line)

    def _ready(self, id: str) -> ListeningSession:
        """Return a session whose takes are all made. Raises UnknownSession, SessionNotReady."""
        session = self.get(id)
        if not self._takes.are_made(session):
            raise SessionNotReady("the takes of this session are not made yet; come back in a few minutes")
        return session

    def _change(self, id: str, **values: object) -> SessionStatus:
        self.get(id)
        self._tables.sessions.change(id, **values)
        self.renderer.wake()
        return self.status(id)

    def _status(self, session: ListeningSession) -> SessionStatus:
        current = self.renderer.current
        takes, due = len(session.plan.arms) * len(session.plan.lines), sum(1 for _ in self._takes.due(session))
        every = self._tables.votes.where(listening_id=session.id)
        votes = [vote for vote in every if is_ordinary(vote)]
        return SessionStatus(
            session=session,
            takes=takes,
            made=takes - due,
            listeners=len({vote.listener_id for vote in votes}),
            votes=len(votes),
            all_votes=len(every),
            current=_take_name(current) if current is not None and current.session.id == session.id else "",
            left_s=self._left_s(session, current) if session.rendering else None,
        )

    def _left_s(self, session: ListeningSession, current: DueTake | None) -> float | None:
        """Return the seconds until all takes of a session are made, after those of sessions that come first."""
        orders: list[Order] = []
        for row in self._tables.sessions.where(deleted=False, rendering=True):
            due = self._takes.due(row.session())
            orders += [one.order for one in due if current is None or one.id != current.id]
            if row.id == session.id:
                break
        if orders:
            return self._manager.etas(orders)[-1]
        running = (one.status.eta_s for one in self._manager.queue() if one.session_id == session.session_id)
        return next(running, None)

    # Called on the renderer's thread.

    def _next_due(self) -> DueTake | None:
        sessions = [row.session() for row in self._tables.sessions.where(deleted=False)]
        for session in sessions:
            if not session.rendering:
                continue
            due = next((one for one in self._takes.due(session) if not self._takes.copy_equal(one, sessions)), None)
            if due is not None:
                return due
            self._tables.sessions.change(session.id, rendering=False)
            self._checks.wake()  # also for copied takes
        return None

    def _is_wanted(self, due: DueTake) -> bool:
        row = self._tables.sessions.get(due.session.id)
        return row is not None and row.rendering and not row.deleted

    def _failed(self, due: DueTake, reason: str) -> None:
        self._tables.sessions.change(due.session.id, rendering=False, failure=f"{_take_name(due)}: {reason}")

    # Called on the thread of the checks.

    def _stored_takes(self) -> Iterator[StoredTake]:
        """Yield all takes of sessions that are not deleted."""
        for row in self._tables.sessions.where(deleted=False):
            yield from self._history.list(row.session().session_id)


def _take_name(due: DueTake) -> str:
    """Return a name of the take for people, such as "ours f5, line 2"."""
    arms = due.session.plan.arms
    found = (arm for arm in range(len(arms)) if take_of(due.session, arm, due.line).id == due.id)
    return f"{arms[next(found, 0)].name}, line {due.line + 1}"
