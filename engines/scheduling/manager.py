"""Engines in memory: which are loaded, what they hold, who uses them. The studio's one way to the scheduler."""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engines.base import Checkpoint, Engine
from engines.errors import BadSetting, BadText, EngineError, NotReady, UnknownEngine
from engines.registry import Device, Spec, licence, spec
from engines.scheduling.eta import Wanted
from engines.scheduling.scheduler import Scheduler
from engines.scheduling.ticket import Ticket
from engines.types import EngineStatus, Progress, Request, SchedulerEvent, Status

log = logging.getLogger(__name__)

NAME_SHOWN = 40  # characters of an unknown engine's name in a message


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How the manager treats requests and memory."""

    queue_size: int = 16
    request_timeout_s: float = 300.0
    memory_budget_bytes: int = 0  # 0 = no limit; else idle engines leave, least recently used first


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """One request in the scheduler, as anyone may see it."""

    ticket_id: str
    session_id: str
    engine: str
    status: Status


class Manager:
    def __init__(
        self,
        checkpoints: Mapping[str, Checkpoint],
        device: Device,
        policy: Policy,
        clock: Callable[[], float] = time.monotonic,
        specs: Callable[[str], Spec] = spec,
    ) -> None:
        """`checkpoints` names the engines of this studio and where each one's weights come from."""
        self._checkpoints = dict(checkpoints)
        self._specs = {name: specs(name) for name in checkpoints}
        self._device = device
        self._policy = policy
        self._clock = clock
        self._listeners: list[Callable[[SchedulerEvent], None]] = []
        self._statuses = {name: self._unloaded(name) for name in checkpoints}
        self._engines: dict[str, Engine] = {}
        self._used_at: dict[str, float] = {}
        self._lock = threading.Lock()
        self._scheduler = Scheduler(queue_size=policy.queue_size, report=self._hear, broken=self._reload, clock=clock)

    # Life.

    def start(self) -> None:
        """Start the scheduler and load every engine behind it; returns at once."""
        self._scheduler.start()
        for name in self._checkpoints:
            self.load(name)

    def close(self, drain_s: float) -> None:
        """Refuse new requests, finish accepted ones within `drain_s` seconds, free every engine."""
        self._scheduler.close(drain_s)
        for engine in self._engines.values():
            engine.close()

    def listen(self, listener: Callable[[SchedulerEvent], None]) -> None:
        """Hear every event, on the scheduler's thread: be quick and never block."""
        self._listeners.append(listener)

    # Requests.

    def submit(self, request: Request, *, session_id: str, arrived_at: float | None = None) -> Ticket:
        """Queue a request; one for an engine that is still loading waits for it.

        Raises NotReady (unknown or broken engine), QueueFull, Closing, BadText, BadSetting.
        """
        status = self.status(request.engine)
        if not request.text.strip():
            raise BadText("there is nothing to say; type a line first")
        if request.weights is not None and not self._specs[request.engine].fine_tunes:
            raise BadSetting(f"{status.title} speaks a champion from its reference; leave the fine-tuned weights out")
        if status.state == "failed":
            raise NotReady(f"{status.title} is not available: {status.message}")
        if status.state == "unloaded":
            self.load(request.engine)
        now = self._clock()
        arrived = now if arrived_at is None else arrived_at
        ticket = Ticket(secrets.token_urlsafe(16), request, session_id, arrived, now + self._policy.request_timeout_s)
        self._used_at[request.engine] = now
        self._scheduler.submit(ticket)
        return ticket

    def queue(self) -> list[QueueEntry]:
        """Running requests, then waiting ones in order of rank."""
        return [QueueEntry(t.id, t.session_id, t.request.engine, t.status()) for t in self._scheduler.queue()]

    def etas(self, wanted: Sequence[Wanted]) -> list[float | None]:
        """Seconds until each of these would be done if they came in order as soon as there is room; None where nobody knows."""
        return self._scheduler.etas(wanted)

    # Engines.

    def status(self, name: str) -> EngineStatus:
        """Raises UnknownEngine."""
        if name not in self._statuses:
            raise UnknownEngine(
                f"there is no engine called {name[:NAME_SHOWN]!r} here; choose one of {', '.join(self._statuses)}"
            )
        return self._statuses[name]

    def statuses(self) -> list[EngineStatus]:
        return list(self._statuses.values())

    def sample_rate(self, name: str) -> int | None:
        """Hz of an engine's takes, which its checkpoint decides: None until it is loaded. Raises UnknownEngine."""
        info = self.status(name).info
        return info.sample_rate if info else None

    def reference_max_s(self, name: str) -> float:
        """The longest reference an engine takes, in seconds. Raises UnknownEngine."""
        self.status(name)
        return self._specs[name].reference_max_s

    def load(self, name: str) -> None:
        """Begin loading; returns at once, watch `status`. An engine that is loading or ready stays as it is."""
        with self._lock:
            if self.status(name).state in ("loading", "warming", "ready"):
                return
            self._set(name, state="loading", message="waiting to load", progress=0.0)
        self._scheduler.do(self._loading(name), lambda error: self._loaded(name, error))

    def unload(self, name: str) -> None:
        """Free an engine's memory. Raises NotReady while a request uses it."""
        if self._scheduler.busy(name):
            raise NotReady(f"{self.status(name).title} is speaking; unload it when its requests are done")
        self._scheduler.do(self._unloading(name), lambda error: None)

    # On the scheduler's thread.

    def _loading(self, name: str) -> Iterator[object]:
        self._make_room(name)
        self._set(name, message="importing its libraries", progress=0.02)
        yield None
        engine = self._specs[name].make(self._device)
        for progress in engine.load(self._checkpoints[name]):
            self._show(name, "loading", progress)
            yield None
        # From here on it can speak; warming goes on between the steps of requests.
        self._engines[name] = engine
        self._scheduler.attach(name, engine)
        warming = engine.warm()
        while self._engines.get(name) is engine and (warmed := next(warming, None)):  # it may break meanwhile
            self._show(name, "warming", warmed, engine)
            yield None

    def _loaded(self, name: str, error: Exception | None) -> None:
        if error is None:
            engine = self._engines.get(name)
            if engine is None:
                return  # it broke before it was warm, and is being loaded again
            info, memory_bytes = engine.info, engine.memory_bytes
            if info.note:
                self._tell(SchedulerEvent(self._clock(), "engine", name, "", {}, info.note))
            self._set(
                name, state="ready", message=info.note or "ready", progress=1.0, info=info, memory_bytes=memory_bytes
            )
            return
        log.error("engine %s could not be loaded", name, exc_info=error)
        self._discard(name)
        reason = str(error) if isinstance(error, EngineError) else f"it could not be loaded ({error})"
        self._set(name, state="failed", message=reason, progress=0.0, info=None, memory_bytes=0)
        failure = NotReady(f"{self._statuses[name].title} is not available: {reason}")
        for ticket in self._scheduler.queue():
            if ticket.request.engine == name:
                self._scheduler.leave(ticket, failure)

    def _unloading(self, name: str) -> Iterator[object]:
        if not self._scheduler.busy(name):
            self._discard(name)
            self._forget(name)
        yield None

    def _discard(self, name: str) -> None:
        self._scheduler.detach(name)
        engine = self._engines.pop(name, None)
        if engine is not None:
            engine.close()

    def _make_room(self, name: str) -> None:
        """Unload idle engines, least recently used first, while the budget is spent."""
        budget = self._policy.memory_budget_bytes
        idle = sorted(
            (n for n in self._engines if n != name and not self._scheduler.busy(n)),
            key=lambda n: self._used_at.get(n, 0.0),
        )
        while budget and idle and sum(engine.memory_bytes for engine in self._engines.values()) >= budget:
            leaving = idle.pop(0)
            log.info("unloading %s to stay within the memory budget", leaving)
            self._discard(leaving)
            self._forget(leaving)

    def _reload(self, name: str, error: Exception) -> None:
        """An engine broke while speaking: drop it and load it again."""
        self._discard(name)
        self._set(
            name, state="unloaded", message=f"failed ({error}); loading again", progress=0.0, info=None, memory_bytes=0
        )
        self.load(name)

    def _show(self, name: str, state: str, progress: Progress, engine: Engine | None = None) -> None:
        changes: dict[str, Any] = {"state": state, "message": progress.message, "progress": progress.fraction}
        if engine is not None:
            changes |= {"info": engine.info, "memory_bytes": engine.memory_bytes}
        self._set(name, **changes)

    # Telling.

    def _unloaded(self, name: str) -> EngineStatus:
        chosen = self._specs[name]
        return EngineStatus(
            name=name,
            title=chosen.title,
            good_at=chosen.good_at,
            settings=chosen.settings,
            fine_tunes=chosen.fine_tunes,
            reference_max_s=chosen.reference_max_s,
            licence=licence(name, self._checkpoints[name]),
            state="unloaded",
            message="not loaded",
            progress=0.0,
            memory_bytes=0,
            info=None,
        )

    def _forget(self, name: str) -> None:
        self._put(self._unloaded(name))

    def _set(self, name: str, **changes: Any) -> None:
        self._put(replace(self._statuses[name], **changes))

    def _put(self, after: EngineStatus) -> None:
        before, self._statuses[after.name] = self._statuses[after.name], after
        if after.state != before.state:
            self._tell(SchedulerEvent(self._clock(), "engine", after.name, "", {}, after.state))

    def _hear(self, event: SchedulerEvent) -> None:
        """From the scheduler. With a take an engine may have taken in references and champions' weights."""
        if event.kind == "done" and event.engine in self._engines:
            self._set(event.engine, memory_bytes=self._engines[event.engine].memory_bytes)
        self._tell(event)

    def _tell(self, event: SchedulerEvent) -> None:
        for listener in self._listeners:
            listener(event)
