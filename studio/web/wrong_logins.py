"""Count recent wrong logins by place, and delay logins from places that sent many of them."""

import asyncio
import hashlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress

from sqlalchemy import Engine
from sqlmodel import Field, Session, SQLModel, col, delete

from studio.disk.database import NotSaved, transaction

log = logging.getLogger(__name__)

KEPT_S = 3_600.0
DIGESTS_KEPT = 1_024  # number of latest wrong logins that are remembered; a repeated one is not a new guess
PACED_FROM = 20  # after this number of wrong logins in a row, logins from the same place are checked one at a time
PACE_S = 1.0
WAITS_MAX = 32  # longest wait of a login, in units of PACE_S; then several logins are checked at a time


class TriesRow(SQLModel, table=True):
    """Consecutive wrong logins, by place."""

    __tablename__ = "wrong_login"

    source: str = Field(primary_key=True)
    count: int
    last_at: float  # seconds since 1970, UTC


class WrongLogins:
    """Counts wrong logins. Thread-safe. The counts survive a restart."""

    def __init__(self, database: Engine, now: Callable[[], float]) -> None:
        """Count in this database; `now` returns seconds since 1970."""
        self._database, self._now = database, now
        self._lock = threading.Lock()  # simultaneous logins are counted one after another
        self._digests: OrderedDict[bytes, None] = OrderedDict()

    def count(self, source: str) -> int:
        """Return the number of recent wrong logins. A time in the future is ignored, because the clock is or was wrong."""
        with Session(self._database) as session:
            row = session.get(TriesRow, source)
        return row.count if row and 0 <= self._now() - row.last_at < KEPT_S else 0

    def add(self, source: str, given: bytes) -> int:
        """Count a wrong login, unless it repeats a recent one. Return the new number. Raises NotSaved."""
        digest = hashlib.sha256(source.encode() + b"\n" + given).digest()
        with self._lock:
            count = self.count(source)
            if digest in self._digests and count:
                return count
            self._digests[digest] = None
            if len(self._digests) > DIGESTS_KEPT:
                self._digests.popitem(last=False)
            log.warning("wrong login from %s, number %d in a row", source or "an unknown address", count + 1)
            self._set(source, count + 1)
            return count + 1

    def forget(self, source: str) -> None:
        """Reset the count. If the disk is full, the count stays, but the right login is still accepted."""
        if self.count(source):
            with self._lock, suppress(NotSaved):
                self._set(source, 0)

    def _set(self, source: str, count: int) -> None:
        now = self._now()
        past = (col(TriesRow.last_at) < now - KEPT_S) | (col(TriesRow.last_at) > now)
        with transaction(self._database) as session:
            session.exec(delete(TriesRow).where(past | (col(TriesRow.source) == source)))
            if count:
                session.add(TriesRow(source=source, count=count, last_at=now))


class LoginPace:
    """Delays logins from places that guess passwords. Only the event loop may call it."""

    def __init__(self, pace_s: float = PACE_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._pace_s, self._clock = pace_s, clock
        self._free_at: dict[str, float] = {}

    async def turn(self, source: str) -> None:
        """Wait until a login from this place may be checked. No login is refused, because it may be the right one."""
        now = self._clock()
        self._free_at = {place: free_at for place, free_at in self._free_at.items() if free_at > now}
        due = min(self._free_at.get(source, now), now + WAITS_MAX * self._pace_s)
        self._free_at[source] = due + self._pace_s
        await asyncio.sleep(due - now)
