"""Engines in memory: which are loaded, their memory, their requests. The studio uses the scheduler through this module."""

import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from engines.base import Checkpoint
from engines.errors import BadSetting, BadText, EngineError, NotReady
from engines.registry import EngineOptions, Spec, spec
from engines.scheduling.eta import EtaRequest
from engines.scheduling.loading import EngineLoader
from engines.scheduling.scheduler import Scheduler
from engines.scheduling.supervisor import Supervisor, end_process
from engines.scheduling.ticket import Ticket
from engines.text import MAX_CHARACTERS, MAX_TRANSCRIPT_CHARACTERS, check_length
from engines.types import EngineStatus, Request, SchedulerEvent, Status

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Limits for requests and memory."""

    queue_size: int = 16
    request_timeout_s: float = 300.0
    step_timeout_s: float = 120.0  # time limit of a step of a warm engine, see supervisor.py; 0 = no limit
    memory_budget_bytes: int = 0  # 0 = no limit; otherwise idle engines are unloaded, least recently used first


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A request in the scheduler, without private data."""

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
        give_up: Callable[[str], None] = end_process,
    ) -> None:
        """Create the manager; `checkpoints` gives each engine of this studio the source of its weights.

        `give_up` is called with the reason if a new process is necessary.
        """
        self._specs = {name: specs(name) for name in checkpoints}
        self._policy = policy
        self._clock = clock
        self._listeners: list[Callable[[SchedulerEvent], None]] = []
        self._scheduler = Scheduler(
            queue_size=policy.queue_size,
            report=self._on_event,
            broken=self._reload,
            clock=clock,
        )
        engines = {name: (self._specs[name], checkpoint) for name, checkpoint in checkpoints.items()}
        self._loader = EngineLoader(engines, device, policy.memory_budget_bytes, self._scheduler, self._notify)
        self._supervisor = Supervisor(self._scheduler, self._loader, policy.step_timeout_s, give_up)

    def start(self) -> None:
        """Start the scheduler and queue the loading of every engine; return at once."""
        self._scheduler.start()
        for name in self._specs:
            self.load(name)
        self._supervisor.start()

    def announce_close(self) -> None:
        """Announce `close`. From now on, a hanging step has a short limit, and no new thread starts."""
        self._supervisor.closing = True

    def close(self, drain_s: float) -> None:
        """Refuse new requests, finish accepted ones within `drain_s` seconds, and free every engine."""
        self._scheduler.close(drain_s)
        self._supervisor.close()
        if not self.hangs:
            self._loader.close()

    def listen(self, listener: Callable[[SchedulerEvent], None]) -> None:
        """Call `listener` with every event, on the thread that causes the event. A listener must be quick and never block."""
        self._listeners.append(listener)

    @property
    def failure(self) -> str:
        """Return why the scheduler failed, until an engine can speak again; empty without a failure."""
        return self._supervisor.failure

    @property
    def delay(self) -> str:
        """Return what takes longer than the limit of a step and delays all requests; empty without a delay."""
        return self._supervisor.delay

    @property
    def hangs(self) -> bool:
        """Return True if a replaced thread still runs; the process then cannot end normally."""
        return self._scheduler.hangs

    # Requests.

    def submit(self, request: Request, *, session_id: str, arrived_at: float | None = None) -> Ticket:
        """Queue a request. If its engine is still loading, the request waits for it.

        If the engine is loaded, the text is read here, on the caller's thread. Raises EngineError: NotReady (unknown or
        broken engine), QueueFull, Closing, BadText, BadAudio, BadSetting.
        """
        status = self.status(request.engine)
        if request.design is not None:
            self._check_designs(request.engine)
            if request.performance is not None:
                raise BadSetting("a new voice cannot speak a recording; keep the voice as a champion first")
        if request.performance is not None:
            self._check_converts(request.engine)
        elif not request.text.strip():
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
        self._loader.note_use(request.engine, now)
        self._scheduler.submit(ticket)
        self.load(request.engine)  # after the ticket is queued: a queued ticket keeps the engine from being unloaded
        return ticket

    def _prepared(self, ticket: Ticket) -> object:
        """Return the engine's preparation of a request; None while the engine is not loaded. Raises EngineError."""
        engine = self._loader.engines.get(ticket.request.engine)
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

    def _check_converts(self, engine: str) -> None:
        """Raise BadSetting if an engine cannot speak a recorded performance."""
        if not self._specs[engine].converts:
            raise self._unable(engine, "speak a recording", [spec for spec in self._specs.values() if spec.converts])

    def _check_designs(self, engine: str) -> None:
        """Raise BadSetting if an engine cannot design a voice."""
        if not self._specs[engine].designs:
            raise self._unable(engine, "design a voice", [spec for spec in self._specs.values() if spec.designs])

    def _unable(self, engine: str, task: str, others: Sequence[Spec]) -> BadSetting:
        """Return the error of an engine that lacks an ability which other engines have."""
        titles = " or ".join(spec.title for spec in others)
        instead = f"choose {titles}" if titles else "add an engine that can, such as spark, to STUDIO_ENGINES"
        return BadSetting(f"{self._specs[engine].title} cannot {task}; {instead}")

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
        return self._loader.statuses.get(name)

    def statuses(self) -> list[EngineStatus]:
        """Return the status of every engine of this studio."""
        return self._loader.statuses.all()

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
        self._loader.load(name)

    def unload(self, name: str, reason: str = "") -> None:
        """Unload an engine to free its memory; the status shows `reason`. Raises NotReady while a request uses the engine."""
        self.status(name)
        self._loader.unload(name, reason)

    def reload(self, name: str) -> None:
        """Unload and load an engine, for example after its checkpoint changed. Raises NotReady while a request uses it."""
        self.status(name)
        self._loader.unload(name, then_load=True)

    def uses(self, name: str) -> bool:
        """Return True if a request for this engine waits or runs."""
        return self._scheduler.uses(name)

    def clear_cache(self, name: str, cache: str) -> "Future[None]":
        """Queue the clearing of a cache. The future raises NotReady if the engine is not loaded, KeyError, OSError."""
        self.status(name)
        return self._loader.clear_cache(name, cache)

    # Events.

    def _reload(self, name: str, error: BaseException) -> None:
        self._loader.reload(name, error)

    def _on_event(self, event: SchedulerEvent) -> None:
        """Pass on a scheduler event. After a take, update the engine's memory and backends."""
        try:
            if event.kind == "done":
                self._loader.refresh(event.engine)
        finally:  # errors of the engine must not prevent the counting of ended requests
            self._notify(event)

    def _notify(self, event: SchedulerEvent) -> None:
        for listener in self._listeners:
            try:
                listener(event)
            except Exception:  # an error of a listener must not affect requests
                log.exception("a listener of the scheduler failed")
