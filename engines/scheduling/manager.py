"""Engines in memory: which are loaded, their memory, their requests. The studio uses the scheduler through this module."""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engines.base import Checkpoint, Engine
from engines.errors import BadSetting, BadText, EngineError, NotReady
from engines.registry import EngineOptions, Spec, spec
from engines.scheduling.eta import EtaRequest
from engines.scheduling.scheduler import Scheduler
from engines.scheduling.statuses import EngineStatuses
from engines.scheduling.ticket import Ticket
from engines.text import MAX_CHARACTERS, MAX_TRANSCRIPT_CHARACTERS, check_length
from engines.types import EngineStatus, Request, SchedulerEvent, Status

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Limits for requests and memory."""

    queue_size: int = 16
    request_timeout_s: float = 300.0
    memory_budget_bytes: int = 0  # 0 = no limit; otherwise idle engines are unloaded, least recently used first


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """One request in the scheduler, without private data."""

    ticket_id: str
    session_id: str
    engine: str
    status: Status


class Manager:
    """Loads and unloads engines and passes requests to them. Any thread may call it."""

    def __init__(
        self,
        checkpoints: Mapping[str, Checkpoint],
        device: EngineOptions,
        policy: Policy,
        clock: Callable[[], float] = time.monotonic,
        specs: Callable[[str], Spec] = spec,
    ) -> None:
        """Create the manager; `checkpoints` gives each engine of this studio the source of its weights."""
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
        self._leaving: set[str] = set()  # engines with a queued unload
        self._lock = threading.Lock()
        self._scheduler = Scheduler(
            queue_size=policy.queue_size, report=self._on_event, broken=self._reload, clock=clock
        )

    def start(self) -> None:
        """Start the scheduler and queue the loading of every engine; return at once."""
        self._scheduler.start()
        for name in self._checkpoints:
            self.load(name)

    def close(self, drain_s: float) -> None:
        """Refuse new requests, finish accepted ones within `drain_s` seconds, and free every engine."""
        self._scheduler.close(drain_s)
        for name in list(self._engines):
            self._discard(name)

    def listen(self, listener: Callable[[SchedulerEvent], None]) -> None:
        """Call `listener` with every event, on the scheduler's thread: it must be quick and never block."""
        self._listeners.append(listener)

    # Requests.

    def submit(self, request: Request, *, session_id: str, arrived_at: float | None = None) -> Ticket:
        """Queue a request. If its engine is still loading, the request waits for it.

        If the engine is loaded, the text is read here, on the caller's thread. Raises EngineError: NotReady (unknown or
        broken engine), QueueFull, Closing, BadText, BadAudio, BadSetting.
        """
        status = self.status(request.engine)
        if not request.text.strip():
            raise BadText("there is nothing to say; type a line first")
        check_length("the text", request.text, MAX_CHARACTERS)
        check_length("the transcript", request.reference.transcript, MAX_TRANSCRIPT_CHARACTERS)
        if request.weights is not None and not self._specs[request.engine].fine_tunes:
            raise BadSetting(f"{status.title} cannot use fine-tuned weights; remove them from the request")
        self.check(request.engine, request.settings)
        if status.state == "failed":
            raise NotReady(f"{status.title} is not available: {status.message}")
        now = self._clock()
        arrived = now if arrived_at is None else arrived_at
        ticket = Ticket(secrets.token_urlsafe(16), request, session_id, arrived, now + self._policy.request_timeout_s)
        ticket.prepared = self._prepared(ticket)
        self._used_at[request.engine] = now
        self._scheduler.submit(ticket)
        self.load(request.engine)  # after the ticket is queued: a queued ticket keeps the engine from being unloaded
        return ticket

    def _prepared(self, ticket: Ticket) -> object:
        """Return the engine's preparation of a request; None while the engine is not loaded. Raises EngineError."""
        engine = self._engines.get(ticket.request.engine)
        try:
            return None if engine is None else engine.prepare(ticket.request)
        except NotReady:  # the engine is being unloaded
            return None
        except EngineError:
            self._notify(SchedulerEvent(self._clock(), "refused", ticket.request.engine, ticket.id))
            raise

    def check(self, engine: str, settings: Mapping[str, float]) -> None:
        """Raise BadSetting for a setting that this engine lacks or a value out of range, UnknownEngine for its name."""
        self.status(engine)
        self._specs[engine].check(settings)

    def queue(self) -> list[QueueEntry]:
        """Return running requests, then waiting ones in order of rank."""
        positions = self._scheduler.positions().items()
        return [QueueEntry(t.id, t.session_id, t.request.engine, t.status(position)) for t, position in positions]

    def etas(self, requests: Sequence[EtaRequest]) -> list[float | None]:
        """Return the seconds until each request would be done if it joined the queue now, in order; None if unknown."""
        return self._scheduler.etas(requests)

    # Engines.

    def status(self, name: str) -> EngineStatus:
        """Return the status of an engine. Raises UnknownEngine."""
        return self._statuses.get(name)

    def statuses(self) -> list[EngineStatus]:
        """Return the status of every engine of this studio."""
        return self._statuses.all()

    def sample_rate(self, name: str) -> int | None:
        """Return the sample rate of an engine's takes in Hz; None until its checkpoint is loaded. Raises UnknownEngine."""
        info = self.status(name).info
        return info.sample_rate if info else None

    def reference_max_s(self, name: str) -> float:
        """Return the longest reference that an engine accepts, in seconds. Raises UnknownEngine."""
        self.status(name)
        return self._specs[name].reference_max_s

    def load(self, name: str) -> None:
        """Start to load an engine and return at once; follow `status`. Loading cancels a queued unload of a loaded engine."""
        with self._lock:
            self._leaving.discard(name)
            if self.status(name).state in ("loading", "warming", "ready"):
                return
            self._statuses.update(name, state="loading", message="waiting to load", progress=0.0)
        self._scheduler.run(self._loading(name), lambda error: self._loaded(name, error))

    def unload(self, name: str) -> None:
        """Unload an engine to free its memory. Raises NotReady while a request uses the engine."""
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
        """Let the loaded engine speak, and queue its warm-up, which runs between the steps of requests."""
        if error is not None:
            return self._failed(name, error)
        engine = self._engines[name]
        info, memory_bytes = engine.info, engine.memory_bytes
        warming = {"state": "warming", "message": "warming up", "progress": 0.0}
        self._statuses.update(name, **warming, info=info, memory_bytes=memory_bytes)
        self._scheduler.run(
            self._warming(name, engine), lambda error: self._warmed(name, engine, error), low_priority=True
        )

    def _warming(self, name: str, engine: Engine) -> Iterator[object]:
        warming = engine.warm()
        while self._engines.get(name) is engine and (warmed := next(warming, None)):  # the engine may fail meanwhile
            changes = {"message": warmed.message, "progress": warmed.fraction}
            self._statuses.update(name, **changes, info=engine.info, memory_bytes=engine.memory_bytes)
            yield None

    def _warmed(self, name: str, engine: Engine, error: Exception | None) -> None:
        if self._engines.get(name) is not engine:
            return  # the engine was unloaded, or failed and is loading again
        if error is not None:
            return self._failed(name, error)
        info, memory_bytes = engine.info, engine.memory_bytes
        if info.note:
            self._notify(SchedulerEvent(self._clock(), "engine", name, "", {}, info.note))
        self._statuses.update(
            name, state="ready", message=info.note or "ready", progress=1.0, info=info, memory_bytes=memory_bytes
        )

    def _failed(self, name: str, error: Exception) -> None:
        log.error("loading engine %s failed", name, exc_info=error)
        self._discard(name)
        reason = str(error) if isinstance(error, EngineError) else f"loading failed ({error})"
        self._statuses.update(name, state="failed", message=reason, progress=0.0, info=None, memory_bytes=0)
        failure = NotReady(f"{self._statuses.get(name).title} is not available: {reason}")
        for ticket in self._scheduler.tickets():
            if ticket.request.engine == name:
                self._scheduler.fail(ticket, failure)

    def _unloading(self, name: str) -> Iterator[object]:
        self._free(name)
        yield None

    def _free(self, name: str) -> None:
        """Unload an engine whose unload is queued, unless it is in use or was requested again."""
        with self._lock:
            if name not in self._leaving or self._scheduler.uses(name):
                return
            self._leaving.discard(name)
            self._statuses.reset(name)  # a later request loads the engine again
        self._discard(name)

    def _discard(self, name: str) -> None:
        self._scheduler.detach(name)
        engine = self._engines.pop(name, None)
        if engine is None:
            return
        try:
            engine.close()
        except Exception:  # a failed device frees nothing; the scheduler and its other engines continue
            log.exception("freeing the memory of engine %s failed", name)

    def _make_room(self, name: str) -> None:
        """Unload idle engines, least recently used first, while the memory budget is exceeded."""
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
        """Discard an engine that failed while speaking, and load it again."""
        self._discard(name)
        self._statuses.update(
            name, state="unloaded", message=f"failed ({error}); loading again", progress=0.0, info=None, memory_bytes=0
        )
        self.load(name)

    # Events.

    def _report_state(self, status: EngineStatus) -> None:
        self._notify(SchedulerEvent(self._clock(), "engine", status.name, "", {}, status.state))

    def _on_event(self, event: SchedulerEvent) -> None:
        """Pass on a scheduler event. After a take, update the engine's memory and backends."""
        if event.kind == "done" and event.engine in self._engines:
            engine = self._engines[event.engine]
            self._statuses.update(event.engine, info=engine.info, memory_bytes=engine.memory_bytes)
        self._notify(event)

    def _notify(self, event: SchedulerEvent) -> None:
        for listener in self._listeners:
            listener(event)
