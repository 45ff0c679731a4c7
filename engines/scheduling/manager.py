"""Engines in memory: which are loaded, what they hold, which requests they serve. The studio reaches the scheduler here."""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engines.base import Checkpoint, Engine
from engines.errors import BadSetting, BadText, EngineError, NotReady
from engines.registry import Device, Spec, spec
from engines.scheduling.eta import EtaRequest
from engines.scheduling.scheduler import Scheduler
from engines.scheduling.statuses import EngineStatuses
from engines.scheduling.ticket import Ticket
from engines.text import MAX_CHARACTERS, MAX_TRANSCRIPT_CHARACTERS, check_length
from engines.types import EngineStatus, Request, SchedulerEvent, Status

log = logging.getLogger(__name__)


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
    """Loads, unloads and reloads engines and hands requests to them; any thread may call it."""

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
        engines = {name: (self._specs[name], checkpoint) for name, checkpoint in checkpoints.items()}
        self._statuses = EngineStatuses(engines, self._report_state)
        self._engines: dict[str, Engine] = {}
        self._used_at: dict[str, float] = {}
        self._leaving: set[str] = set()  # engines whose unloading is queued
        self._lock = threading.Lock()
        self._scheduler = Scheduler(
            queue_size=policy.queue_size, report=self._on_event, broken=self._reload, clock=clock
        )

    def start(self) -> None:
        """Start the scheduler and load every engine behind it; returns at once."""
        self._scheduler.start()
        for name in self._checkpoints:
            self.load(name)

    def close(self, drain_s: float) -> None:
        """Refuse new requests, finish accepted ones within `drain_s` seconds, free every engine."""
        self._scheduler.close(drain_s)
        for name in list(self._engines):
            self._discard(name)

    def listen(self, listener: Callable[[SchedulerEvent], None]) -> None:
        """Hear every event, on the scheduler's thread: be quick and never block."""
        self._listeners.append(listener)

    # Requests.

    def submit(self, request: Request, *, session_id: str, arrived_at: float | None = None) -> Ticket:
        """Queue a request; one for an engine that is still loading waits for it.

        The text is read here, on the caller's thread, if the engine is loaded. Raises EngineError: NotReady (unknown or
        broken engine), QueueFull, Closing, BadText, BadAudio, BadSetting.
        """
        status = self.status(request.engine)
        if not request.text.strip():
            raise BadText("there is nothing to say; type a line first")
        check_length("the text", request.text, MAX_CHARACTERS)
        check_length("the transcript", request.reference.transcript, MAX_TRANSCRIPT_CHARACTERS)
        if request.weights is not None and not self._specs[request.engine].fine_tunes:
            raise BadSetting(f"{status.title} speaks a champion from its reference; leave the fine-tuned weights out")
        self.check(request.engine, request.settings)
        if status.state == "failed":
            raise NotReady(f"{status.title} is not available: {status.message}")
        now = self._clock()
        arrived = now if arrived_at is None else arrived_at
        ticket = Ticket(secrets.token_urlsafe(16), request, session_id, arrived, now + self._policy.request_timeout_s)
        ticket.prepared = self._prepared(ticket)
        self._used_at[request.engine] = now
        self._scheduler.submit(ticket)
        self.load(request.engine)  # after the ticket is queued: from then on the engine is in use and is not unloaded
        return ticket

    def _prepared(self, ticket: Ticket) -> object:
        """Return the engine's preparation of a request; None while the engine is not loaded. Raises EngineError."""
        engine = self._engines.get(ticket.request.engine)
        try:
            return None if engine is None else engine.prepare(ticket.request)
        except NotReady:  # it is being unloaded
            return None
        except EngineError:
            self._notify(SchedulerEvent(self._clock(), "refused", ticket.request.engine, ticket.id))
            raise

    def check(self, engine: str, settings: Mapping[str, float]) -> None:
        """Raises UnknownEngine, and BadSetting for what this engine would ignore or refuse."""
        self.status(engine)
        self._specs[engine].check(settings)

    def queue(self) -> list[QueueEntry]:
        """Running requests, then waiting ones in order of rank."""
        positions = self._scheduler.positions().items()
        return [QueueEntry(t.id, t.session_id, t.request.engine, t.status(position)) for t, position in positions]

    def etas(self, requests: Sequence[EtaRequest]) -> list[float | None]:
        """Seconds until each of these would be done if they joined the queue now, in order; None where unknown."""
        return self._scheduler.etas(requests)

    # Engines.

    def status(self, name: str) -> EngineStatus:
        """Raises UnknownEngine."""
        return self._statuses.get(name)

    def statuses(self) -> list[EngineStatus]:
        """Every engine of this studio, loaded or not."""
        return self._statuses.all()

    def sample_rate(self, name: str) -> int | None:
        """Hz of an engine's takes, which its checkpoint decides: None until it is loaded. Raises UnknownEngine."""
        info = self.status(name).info
        return info.sample_rate if info else None

    def reference_max_s(self, name: str) -> float:
        """The longest reference an engine takes, in seconds. Raises UnknownEngine."""
        self.status(name)
        return self._specs[name].reference_max_s

    def load(self, name: str) -> None:
        """Begin loading; returns at once, watch `status`. An engine that is loading or ready stays, also one about to leave."""
        with self._lock:
            self._leaving.discard(name)
            if self.status(name).state in ("loading", "warming", "ready"):
                return
            self._statuses.update(name, state="loading", message="waiting to load", progress=0.0)
        self._scheduler.run(self._loading(name), lambda error: self._loaded(name, error))

    def unload(self, name: str) -> None:
        """Free an engine's memory. Raises NotReady while a request uses it."""
        if self._scheduler.uses(name):
            raise NotReady(f"{self.status(name).title} is speaking; unload it when its requests are done")
        with self._lock:
            self._leaving.add(name)
        self._scheduler.run(self._unloading(name), lambda error: None)

    # On the scheduler's thread.

    def _loading(self, name: str) -> Iterator[object]:
        self._make_room(name)
        self._statuses.update(name, message="importing its libraries", progress=0.02)
        yield None
        engine = self._specs[name].make(self._device)
        for progress in engine.load(self._checkpoints[name]):
            self._statuses.update(name, state="loading", message=progress.message, progress=progress.fraction)
            yield None
        self._engines[name] = engine
        self._scheduler.attach(name, engine, self._specs[name].settings)

    def _loaded(self, name: str, error: Exception | None) -> None:
        """From here on it can speak; it is warmed between the steps of requests, once no engine waits to be loaded."""
        if error is not None:
            return self._failed(name, error)
        engine = self._engines[name]
        info, memory_bytes = engine.info, engine.memory_bytes
        warming = {"state": "warming", "message": "warming up", "progress": 0.0}
        self._statuses.update(name, **warming, info=info, memory_bytes=memory_bytes)
        self._scheduler.run(self._warming(name, engine), lambda error: self._warmed(name, engine, error), patient=True)

    def _warming(self, name: str, engine: Engine) -> Iterator[object]:
        warming = engine.warm()
        while self._engines.get(name) is engine and (warmed := next(warming, None)):  # it may break meanwhile
            changes = {"message": warmed.message, "progress": warmed.fraction}
            self._statuses.update(name, **changes, info=engine.info, memory_bytes=engine.memory_bytes)
            yield None

    def _warmed(self, name: str, engine: Engine, error: Exception | None) -> None:
        if self._engines.get(name) is not engine:
            return  # it was unloaded, or broke and is being loaded again
        if error is not None:
            return self._failed(name, error)
        info, memory_bytes = engine.info, engine.memory_bytes
        if info.note:
            self._notify(SchedulerEvent(self._clock(), "engine", name, "", {}, info.note))
        self._statuses.update(
            name, state="ready", message=info.note or "ready", progress=1.0, info=info, memory_bytes=memory_bytes
        )

    def _failed(self, name: str, error: Exception) -> None:
        log.error("engine %s could not be loaded", name, exc_info=error)
        self._discard(name)
        reason = str(error) if isinstance(error, EngineError) else f"it could not be loaded ({error})"
        self._statuses.update(name, state="failed", message=reason, progress=0.0, info=None, memory_bytes=0)
        failure = NotReady(f"{self._statuses.get(name).title} is not available: {reason}")
        for ticket in self._scheduler.tickets():
            if ticket.request.engine == name:
                self._scheduler.fail(ticket, failure)

    def _unloading(self, name: str) -> Iterator[object]:
        self._free(name)
        yield None

    def _free(self, name: str) -> None:
        """Free an engine that is to leave, unless it is in use or wanted again by now."""
        with self._lock:
            if name not in self._leaving or self._scheduler.uses(name):
                return
            self._leaving.discard(name)
            self._statuses.reset(name)  # who asks for it from here on has it loaded again
        self._discard(name)

    def _discard(self, name: str) -> None:
        self._scheduler.detach(name)
        engine = self._engines.pop(name, None)
        if engine is None:
            return
        try:
            engine.close()
        except Exception:  # a device that failed frees nothing any more; the scheduler and its other engines go on
            log.exception("engine %s could not free its memory", name)

    def _make_room(self, name: str) -> None:
        """Unload idle engines, least recently used first, while the budget is spent."""
        budget = self._policy.memory_budget_bytes
        idle = sorted(
            (n for n in self._engines if n != name and not self._scheduler.uses(n)),
            key=lambda n: self._used_at.get(n, 0.0),
        )
        while budget and idle and sum(engine.memory_bytes for engine in self._engines.values()) >= budget:
            leaving = idle.pop(0)
            log.info("unloading %s to stay within the memory budget", leaving)
            self._leaving.add(leaving)
            self._free(leaving)

    def _reload(self, name: str, error: Exception) -> None:
        """An engine broke while speaking: drop it and load it again."""
        self._discard(name)
        self._statuses.update(
            name, state="unloaded", message=f"failed ({error}); loading again", progress=0.0, info=None, memory_bytes=0
        )
        self.load(name)

    # Events.

    def _report_state(self, status: EngineStatus) -> None:
        self._notify(SchedulerEvent(self._clock(), "engine", status.name, "", {}, status.state))

    def _on_event(self, event: SchedulerEvent) -> None:
        """Pass on an event of the scheduler. After a take an engine may hold more memory or use other backends."""
        if event.kind == "done" and event.engine in self._engines:
            engine = self._engines[event.engine]
            self._statuses.update(event.engine, info=engine.info, memory_bytes=engine.memory_bytes)
        self._notify(event)

    def _notify(self, event: SchedulerEvent) -> None:
        for listener in self._listeners:
            listener(event)
