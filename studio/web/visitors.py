"""Limit the size and age of what visitors of a public studio store. Takes and clips of the owner are never removed.

A visitor is a session that stored something and never belonged to the owner. A session without a row, such as one of an older
studio, is not a visitor.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable

from sqlmodel import Field, Session, SQLModel, col, select
from starlette.requests import HTTPConnection

from studio.disk.database import SESSION_COLUMN, NotSaved, open_database, transaction
from studio.disk.stored_file import StoredFile
from studio.errors import NotStored
from studio.history import History
from studio.references.session_clips import SessionClips
from studio.settings import Settings
from studio.web.ownership import Ownership
from studio.web.session import SESSION_HEADER

log = logging.getLogger(__name__)

DAY_S = 86_400.0
MB, GB = 1_000_000, 1_000_000_000
DOWN_TO = 0.9  # share of the limit for all visitors that stays after the limit was exceeded


class QuotaUsed(NotStored):
    """This visitor has reached the size limit."""


class VisitorRow(SQLModel, table=True):
    """A session that stored something, and whether it has ever belonged to the owner."""

    __tablename__ = "visitor"

    session_id: str = Field(primary_key=True, sa_column_kwargs=SESSION_COLUMN)
    is_owner: bool


class Visitors:
    """The limits of visitors. Thread-safe."""

    def __init__(
        self, settings: Settings, history: History, clips: SessionClips, now: Callable[[], float] = time.time
    ) -> None:
        self._limits, self._history, self._clips, self._now = settings.visitor_limits, history, clips, now
        self._ownership = Ownership(settings)
        self._database = open_database(settings.data_dir, VisitorRow)
        self._written: dict[str, bool] = {}  # sessions with a known row, and whether they belong to the owner
        self._changed = threading.Event()
        self._changed.set()

    @property
    def kept_s(self) -> float:
        """Return the seconds for which takes and clips of visitors are kept; 0 means without limit."""
        return self._limits.days * DAY_S

    def admit(self, connection: HTTPConnection) -> None:
        """Check that the session of a request may store another take or clip. Raises QuotaUsed."""
        session_id = connection.headers[SESSION_HEADER]
        is_owner = self._ownership.holds(connection)
        self._write_down(session_id, is_owner=is_owner)
        if is_owner or self._written.get(session_id):
            return
        self._changed.set()
        most = self._limits.each_mb * MB
        if most and sum(kept.bytes for kept in self._kept([session_id]) if not kept.deleted) >= most:
            raise QuotaUsed(
                f"your takes and clips have reached the limit of {self._limits.each_mb:,} MB; delete some takes "
                "or clips, then try again"
            )

    def claim(self, session_id: str) -> None:
        """Mark a session as the owner's. This also applies to what it stored before."""
        self._write_down(session_id, is_owner=True)

    def expire(self) -> int:
        """Remove takes and clips of visitors that are older than the limit. Return their number. Raises NotSaved."""
        if not self.kept_s:
            return 0
        before = self._now() - self.kept_s
        return self._erase(kept for kept in self._kept(self._sessions()) if kept.kept_at < before)

    def enforce_total_limit(self) -> int:
        """Remove the oldest takes and clips of visitors until all are below the limit. Return their number. Raises NotSaved."""
        most = round(self._limits.all_gb * GB)
        if not most or not self._changed.is_set():
            return 0
        self._changed.clear()
        kept = sorted(self._kept(self._sessions()), key=lambda one: (not one.deleted, one.kept_at))
        left = sum(one.bytes for one in kept)
        if left <= most:
            return 0
        gone: list[StoredFile] = []
        while left > DOWN_TO * most:
            gone.append(kept[len(gone)])
            left -= gone[-1].bytes
        log.warning(
            "visitors kept more than %s GB; their %d oldest takes and clips are removed", self._limits.all_gb, len(gone)
        )
        return self._erase(gone)

    def _write_down(self, session_id: str, *, is_owner: bool) -> None:
        """Save whether the session belongs to the owner. If the disk is full, the next call tries again."""
        if self._written.get(session_id) or self._written.get(session_id) is is_owner:
            return
        try:
            with transaction(self._database) as session:
                row = session.get(VisitorRow, session_id)
                is_owner = is_owner or (row is not None and row.is_owner)
                session.merge(VisitorRow(session_id=session_id, is_owner=is_owner))
        except NotSaved as error:
            log.info("a visitor's session was not saved: %s", error)
            return
        self._written[session_id] = is_owner

    def _sessions(self) -> list[str]:
        with Session(self._database) as session:
            return list(session.exec(select(VisitorRow.session_id).where(col(VisitorRow.is_owner).is_(False))))

    def _kept(self, sessions: list[str]) -> list[StoredFile]:
        return [*self._history.kept(sessions), *self._clips.kept(sessions)]

    def _erase(self, gone: Iterable[StoredFile]) -> int:
        erased = list(gone)
        count = self._history.erase(erased) + self._clips.erase(erased)
        if count:
            log.info("%d takes and clips of visitors were removed", count)
        return count
