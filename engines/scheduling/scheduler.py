"""The one worker thread that owns the device and runs every engine, one step at a time.

Each turn ends cancelled and overdue requests, admits waiting ones, runs one item of maintenance (loading, warming) if
one is due, and steps the engine that has used the least device time. Nothing else touches the device.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from engines.base import Engine, EngineJob
from engines.errors import Cancelled, Closing, EngineError, EngineFailed, OutOfMemory, TimedOut
from engines.scheduling.eta import EtaRequest
from engines.scheduling.lifecycle import Lifecycle
from engines.scheduling.maintenance import MaintenanceQueue, MaintenanceTask
from engines.scheduling.preparation import Preparation
from engines.scheduling.request_queue import RequestQueue
from engines.scheduling.row_sharing import RowSharing
from engines.scheduling.ticket import Position, Ticket
from engines.types import SchedulerEvent, Setting

log = logging.getLogger(__name__)

LOOK_AGAIN_S = 0.01  # while an engine waits for something other than the device
STOP_S = 10.0  # time for the current step when the scheduler closes


class Scheduler:
    """Accepts requests and maintenance from any thread and runs them on its own thread."""

    def __init__(
        self,
        *,
        queue_size: int,
        report: Callable[[SchedulerEvent], None],
        broken: Callable[[str, Exception], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Create the scheduler; on its thread, `report` gets every event and `broken` every failed engine with its error."""
        self.clock = clock
        self._report, self._broken = report, broken
        self._lock = threading.RLock()
        self._work = threading.Event()  # set when something changed since this turn began
        self._engines: dict[str, Engine] = {}
        self._used_s: dict[str, float] = {}  # device time of each engine
        self._queue = RequestQueue(queue_size, self._lock, self._engines)
        self._sharing = RowSharing(self._queue)
        self._lifecycle = Lifecycle(self._queue, self._engines, report, clock)
        self._maintenance = MaintenanceQueue(self._work.set, clock)
        self._preparation = Preparation(self._work.set, self.fail)
        self._failures: list[tuple[Ticket, EngineError]] = []  # requests to end before the next step
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="scheduler", daemon=True)

    # Any thread may call the methods below.

    def start(self) -> None:
        """Start the worker thread."""
        self._thread.start()

    def submit(self, ticket: Ticket) -> None:
        """Queue a request. Raises QueueFull, Closing."""
        try:
            self._accept(ticket)
        except EngineError:
            self._lifecycle.report("refused", ticket)
            raise
        self._lifecycle.report("arrived", ticket)

    def _accept(self, ticket: Ticket) -> None:
        with self._lock:
            if self._closing:
                raise Closing("the studio is shutting down; try again when it is back")
            ticket.attach(self._cancel, self._work.set, self._queue.position)
            self._queue.add(ticket)
        self._work.set()

    def run(
        self, items: Iterator[object], on_end: Callable[[Exception | None], None], *, low_priority: bool = False
    ) -> None:
        """Run maintenance on the scheduler's thread, one item a turn, in order, `low_priority` work last."""
        self._maintenance.add(MaintenanceTask(items, on_end, low_priority))

    def fail(self, ticket: Ticket, error: EngineError) -> None:
        """End a request with this error before the next step."""
        with self._lock:
            self._failures.append((ticket, error))
        self._work.set()

    def tickets(self) -> list[Ticket]:
        """Return running tickets in order of admission, then waiting ones in order of rank."""
        return self._queue.tickets()

    def positions(self) -> dict[Ticket, Position]:
        """Return rank and ETA of each ticket."""
        return self._queue.positions()

    def uses(self, engine: str) -> bool:
        """Return True if a request for this engine waits or runs."""
        return self._queue.uses(engine)

    def etas(self, requests: Sequence[EtaRequest]) -> list[float | None]:
        """Return the seconds until each request would be done if it joined the queue now, in order; None if unknown."""
        return self._queue.etas(requests)

    def close(self, drain_s: float) -> None:
        """Refuse new requests, finish accepted ones for at most `drain_s` seconds, fail the rest, and stop the thread."""
        with self._lock:
            self._closing = True
        self._work.set()
        self._thread.join(drain_s)
        for ticket in self.tickets():
            self.fail(ticket, Closing("the studio shut down before this take was ready; generate it again"))
        self._thread.join(STOP_S)
        self._preparation.close()

    # Maintenance calls the methods below, on the scheduler's thread.

    def attach(self, name: str, engine: Engine, settings: Iterable[Setting]) -> None:
        """Let a loaded engine speak; its settings are used to estimate times."""
        self._engines[name] = engine
        self._sharing.add_engine(name, engine.info.rows)
        self._queue.estimator.add_engine(name, settings, engine.info.defaults)
        self._used_s[name] = max(self._used_s.values(), default=0.0)

    def detach(self, name: str) -> None:
        """Stop using an engine."""
        self._sharing.remove_engine(name)
        self._used_s.pop(name, None)
        self._engines.pop(name, None)

    # The scheduler's thread.

    def _run(self) -> None:
        while True:
            self._work.clear()  # before anything is read, so that a later change starts another turn
            self._end_failed()
            if self._closing and not self._queue:  # loading and warming have no users any more
                return
            self._admit()
            self._sharing.choose_yielding()
            worked = (
                self._next_engine() is None or self._maintenance.due(self._unheard())
            ) and self._maintenance.advance()
            name = self._next_engine()
            if name is not None:
                self._step(name)
            elif not worked:
                self._sleep()

    def _end_failed(self) -> None:
        """End failed, cancelled and overdue requests."""
        now = self.clock()
        with self._lock:
            failures, self._failures = self._failures, []
            overdue = self._queue.overdue(now)
        for ticket in overdue:
            elapsed = now - ticket.arrived_at
            late = TimedOut(f"the take was not finished within {elapsed:.0f} s; use a shorter text")
            failures.append((ticket, late))
        for ticket, error in failures:
            self._lifecycle.end(ticket, error)

    def _admit(self) -> None:
        """Pass waiting requests to the engines that have a free row."""
        for ticket in self._queue.waiting():
            name, begun = ticket.request.engine, ticket.paused
            engine = self._engines.get(name)
            if engine is None or not self._preparation.is_done(ticket, engine):
                continue
            if not self._sharing.can_admit(ticket) or not self._lifecycle.admit(ticket) or begun:
                continue
            try:
                engine.admit(EngineJob(ticket.id, ticket.request, ticket.prepared))
            except EngineError as error:
                self._lifecycle.end(ticket, error)
            except Exception as error:
                self._break(name, error)

    def _next_engine(self) -> str | None:
        """Return the engine with work that has used the least device time; None if no engine has work."""
        waiting = self._waiting_for_input()
        able = {t.request.engine for t in self._queue.running() if t.id not in waiting and not self._sharing.is_held(t)}
        return min(able & self._engines.keys(), key=lambda name: self._used_s[name], default=None)

    def _unheard(self) -> bool:
        """Return True if a running request has no audio yet."""
        return not all(ticket.has_audio for ticket in self._queue.running())

    def _waiting_for_input(self) -> set[str]:
        """Return the ids of running requests that wait for the disk or the CPU and need no step now."""
        return {id for engine in self._engines.values() for id in engine.waiting}

    def _sleep(self) -> None:
        """Wait until there is work."""
        due = self._queue.next_deadline()
        if due is not None and self._waiting_for_input():
            due = min(due, self.clock() + LOOK_AGAIN_S)
        elif self._next_engine() is not None:  # its input arrived during this turn
            return
        self._work.wait(None if due is None else max(0.0, due - self.clock()))

    # One step.

    def _step(self, name: str) -> None:
        engine, rows = self._engines[name], self._queue.running(name)
        waiting = set(engine.waiting)
        held = {ticket.id for ticket in rows if self._sharing.is_held(ticket) or ticket.id in waiting}
        started = self.clock()
        try:
            paused = {ticket.id for ticket in self._queue.paused(name)}
            events = engine.step(held | paused, self._sharing.yielding)
        except OutOfMemory as error:
            self._shrink(name, rows, error)
            return
        except Exception as error:
            self._break(name, error)
            return
        seconds = self.clock() - started
        self._used_s[name] += seconds
        self._maintenance.stepped(seconds)
        for ticket in rows:
            if ticket.id not in held:
                ticket.charge(seconds / (len(rows) - len(held)))
        self._report(SchedulerEvent(self.clock(), "stepped", name, "", {"step_s": seconds, "rows": float(len(rows))}))
        for event in events:
            self._lifecycle.deliver(event)
        if self._sharing.yielding:
            between = engine.between_segments
            for ticket in [each for each in rows if each.id in self._sharing.yielding and each.id in between]:
                self._lifecycle.pause(ticket)

    def _shrink(self, name: str, rows: list[Ticket], error: OutOfMemory) -> None:
        """After an out-of-memory error, queue the newest request again, or end it if it was alone or has audio."""
        newest = rows[-1]
        if len(rows) == 1:
            self._lifecycle.end(newest, error)
            return
        log.warning("%s ran out of memory with %d requests; one is queued again", name, len(rows))
        self._sharing.limit(name, len(rows) - 1)
        self._engines[name].drop(newest.id)
        if newest.has_audio:
            self._lifecycle.end(newest, error)
            return
        self._queue.requeue(newest)
        newest.requeue()

    def _break(self, name: str, error: Exception) -> None:
        """Fail the requests of a broken engine; the scheduler and the other engines continue."""
        log.error("engine %s failed", name, exc_info=error)
        failure = EngineFailed(
            f"{name} failed while speaking ({error}); it is loading again, try again when it is ready"
        )
        failure.__cause__ = error
        for ticket in (*self._queue.running(name), *self._queue.paused(name)):
            self._lifecycle.end(ticket, failure)
        self._broken(name, error)

    # Tickets call the method below.

    def _cancel(self, ticket: Ticket) -> None:
        self.fail(ticket, Cancelled("stopped"))
