"""A store, whatever its kind: what is there, what a transfer would do, and transfers that check themselves."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from filelock import FileLock, Timeout

from engines.types import Progress
from studio.champions.champion import check_id
from studio.database import saving
from studio.stores.backend import Backend, Kind, Terms, digest
from studio.stores.download import Fetching
from studio.stores.entry import ArchiveFacts, Held, Meter, Plan, Told, amount
from studio.stores.errors import Damaged, Occupied, UnknownArchive


class Store:
    """Transfers block their thread, tell their progress, and stop soon after `stop` is set (Cancelled).

    The same transfer started again goes on where it stopped. Threads may share one.
    """

    def __init__(self, name: str, backend: Backend, state: Path, terms: Terms) -> None:
        """`state` is a folder of this store alone, created when first needed, for what interrupted transfers left."""
        self.name = name
        self._backend = backend
        self._state = state
        self._terms = terms

    @property
    def kind(self) -> Kind:
        return self._backend.kind

    def list(self) -> Sequence[Held]:
        """What is there, by id. Raises StoreError."""
        return sorted(self._backend.list(), key=lambda held: held.id)

    def plan_push(self, id: str, facts: ArchiveFacts) -> Plan:
        """What `push` would do; changes nothing. Raises StoreError."""
        held = self._backend.find(check_id(id))
        if held is not None and held.is_exactly(facts):
            return Plan("nothing", 0, f"{self.name} holds exactly this archive of {id} already; nothing would be sent")
        sent = self._backend.sent(id, facts)
        left = facts.bytes - sent
        rest = f"the remaining {amount(left)} of {amount(facts.bytes)}" if sent else amount(left)
        if held is None:
            return Plan("send", left, f"would send {rest} as a new archive {id} to {self.name}")
        return Plan(
            "replace", left, f"would send {rest} to {self.name} and replace its {id} of {amount(held.bytes)} there"
        )

    def plan_pull(self, id: str) -> Plan:
        """What `pull` would do; changes nothing. Raises StoreError, UnknownArchive."""
        held = self._known(id)
        here = min(Fetching(self._state, held, self._terms).here, held.bytes)
        left = held.bytes - here
        rest = f"the remaining {amount(left)} of {amount(held.bytes)}" if here else amount(left)
        return Plan("fetch", left, f"would fetch {rest}, the archive {id}, from {self.name}")

    def plan_delete(self, id: str) -> Plan:
        """What `delete` would do; changes nothing. Raises StoreError, UnknownArchive."""
        held = self._known(id)
        return Plan("delete", 0, f"would delete the archive {id}, {amount(held.bytes)}, from {self.name} for good")

    def push(self, id: str, archive: Path, facts: ArchiveFacts, told: Told, stop: threading.Event) -> None:
        """Send an archive, unless exactly this content is there. Raises StoreError, Cancelled, NotSaved."""
        with self._alone(id):
            held = self._backend.find(id)
            if held is not None and held.is_exactly(facts):
                told(Progress(1.0, f"{self.name} holds exactly this {id} already; nothing was sent"))
                return
            told(Progress(0.0, f"checking {id}"))
            _check(id, archive, facts, stop)
            self._backend.send(id, archive, facts, Meter(told, f"sending {id} to {self.name}", facts.bytes), stop)
            held = self._backend.find(id)
            if held is None or not held.is_exactly(facts):
                raise Damaged(
                    f"{self.name} does not show the {id} that was sent; look who else writes there, push again"
                )
            told(Progress(1.0, f"{self.name} holds {id}, {amount(facts.bytes)}, SHA-256 verified"))

    def pull(self, id: str, target: Path, told: Told, stop: threading.Event) -> Held:
        """Fetch an archive to `target`, which appears whole or not at all; its SHA-256 is that of what arrived.

        Raises StoreError, UnknownArchive, Cancelled, NotSaved. Where the store knows no hash there is none to check.
        """
        with self._alone(id):
            held = self._known(id)
            meter = Meter(told, f"fetching {id} from {self.name}", held.bytes)
            fetching = Fetching(self._state, held, self._terms)
            sha256 = fetching.run(lambda start, end: self._backend.read(held, start, end), target, meter, stop)
            how = "SHA-256 verified" if held.sha256 else "of which the store knew no SHA-256"
            told(Progress(1.0, f"fetched {id}, {amount(held.bytes)}, {how}"))
            return replace(held, sha256=sha256)

    def delete(self, id: str) -> None:
        """Raises StoreError, UnknownArchive."""
        with self._alone(id):
            self._backend.delete(self._known(id))

    def _known(self, id: str) -> Held:
        held = self._backend.find(check_id(id))
        if held is None:
            raise UnknownArchive(f"{self.name} holds no archive {id}; list the store to see what it holds")
        return held

    @contextmanager
    def _alone(self, id: str) -> Iterator[None]:
        """Two transfers of one archive would write into each other's partial state; so would two processes'."""
        with saving():
            self._state.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._state / f"{check_id(id)}.lock")
        try:
            lock.acquire(blocking=False)
        except Timeout as error:
            raise Occupied(f"{id} is on its way to or from {self.name} already; wait for that, or pause it") from error
        try:
            yield
        finally:
            lock.release()


def _check(id: str, archive: Path, facts: ArchiveFacts, stop: threading.Event) -> None:
    """The store will be told these facts, so they had better be true."""
    try:
        same = archive.stat().st_size == facts.bytes and digest(archive, stop) == facts.sha256
    except OSError as error:
        raise Damaged(f"the archive of {id} can no longer be read; package it again") from error
    if not same:
        raise Damaged(f"the archive of {id} changed since it was packaged; package it again")
