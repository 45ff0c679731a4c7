"""Run one turn of the scheduler: end requests, admit requests, run maintenance, step an engine.

After an error of an engine, this engine is loaded again. Any other error of a turn ends all requests. Both times, the next
turn follows.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from engines.base import Engine, EngineJob
from engines.errors import EngineError, EngineFailed, OutOfMemory
from engines.scheduling.device_shares import DeviceShares
from engines.scheduling.endings import Endings
from engines.scheduling.lifecycle import Lifecycle
from engines.scheduling.loaded_engines import LoadedEngines
from engines.scheduling.maintenance import MaintenanceQueue
from engines.scheduling.preparation import Preparation
from engines.scheduling.request_queue import RequestQueue
from engines.scheduling.row_sharing import RowSharing
from engines.scheduling.ticket import Ticket
from engines.scheduling.worker import Worker
from engines.types import SchedulerEvent

log = logging.getLogger(__name__)

LOOK_AGAIN_S = 0.01  # while an engine waits for something other than the device


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Parts:
    """The parts of the scheduler that a turn uses."""

    clock: Callable[[], float]
    report: Callable[[SchedulerEvent], None]
    lock: threading.RLock
    work: threading.Event  # set when something changed since this turn began
    worker: Worker
    loaded: LoadedEngines
    shares: DeviceShares
    queue: RequestQueue
    sharing: RowSharing
    lifecycle: Lifecycle
    endings: Endings
    maintenance: MaintenanceQueue
    preparation: Preparation


class Turns:
    """Runs turns and handles their errors, on the scheduler's thread."""

    def __init__(self, parts: Parts, closing: Callable[[], bool], broken: Callable[[str, BaseException], None]) -> None:
        """Create the turns. `broken` is called with the name and the error of a failed engine."""
        self._parts, self._closing, self._broken = parts, closing, broken

    def turn(self) -> bool:
        """Run one turn; return False after the last one."""
        parts = self._parts
        parts.work.clear()  # first, so that a change during this turn starts another turn
        parts.endings.end(parts.loaded.drop)
        if self._closing() and not parts.queue:  # no request needs the engines any more
            return False
        self._admit()
        parts.sharing.choose_yielding()
        due = self._next_engine() is None or parts.maintenance.due(self._lacks_audio())
        worked = due and parts.maintenance.advance()
        name = self._next_engine()
        if name is not None:
            self.step(name)
        elif not worked:
            self.sleep()
        return True

    def recover(self, error: BaseException) -> bool:
        """Handle the error of a turn: break the engine that was called, or end all requests and return False."""
        parts = self._parts
        parts.maintenance.running = None
        name, parts.loaded.calling = parts.loaded.calling, ""
        if name in parts.loaded.by_name:
            self.break_engine(name, error)
            return True
        log.error("the scheduler failed; all requests end, and the scheduler continues", exc_info=error)
        failure = EngineFailed(f"the scheduler failed ({error!r}); try again")
        failure.__cause__ = error
        for ticket in parts.queue.tickets():
            parts.lifecycle.end(ticket, failure)
        return False

    def break_engine(self, name: str, error: BaseException) -> None:
        """End the requests of a failed engine. The scheduler and the other engines continue."""
        log.error("engine %s failed", name, exc_info=error)
        self._parts.shares.remove(name)
        self._parts.loaded.remove(name)  # the engine is discarded, so it need not drop jobs
        failure = EngineFailed(
            f"{name} failed while speaking ({error}) and is loading again; try again when {name} is ready"
        )
        failure.__cause__ = error
        for ticket in self._parts.queue.started(name):
            self._parts.lifecycle.end(ticket, failure)
        self._broken(name, error)

    def _admit(self) -> None:
        """Pass waiting requests to engines with a free row."""
        parts = self._parts
        for ticket in parts.queue.waiting():
            name, begun = ticket.request.engine, ticket.paused
            engine = parts.loaded.by_name.get(name)
            if engine is None or not parts.preparation.is_done(ticket, engine):
                continue
            if not parts.sharing.can_admit(ticket) or not self._start(ticket) or begun:
                continue
            try:
                parts.loaded.call(name, engine.admit, EngineJob(ticket.id, ticket.request, ticket.prepared))
            except EngineError as error:
                parts.lifecycle.end(ticket, error)

    def _start(self, ticket: Ticket) -> bool:
        """Start or resume a waiting ticket; return False if the ticket no longer waits."""
        with self._parts.lock:  # a replaced thread must not admit requests
            self._parts.worker.require_current()
            admitted = self._parts.queue.admit(ticket)
        if admitted:
            self._parts.lifecycle.admit(ticket)
        return admitted

    def _next_engine(self) -> str | None:
        """Return the engine that steps next; None if no engine has work."""
        parts = self._parts
        waiting, held, now = parts.loaded.waiting(), parts.sharing.is_held, parts.clock()
        able = [ticket for ticket in parts.queue.running() if ticket.id not in waiting and not held(ticket)]
        urgent = {ticket.request.engine for ticket in able if ticket.is_urgent(now)}
        return parts.shares.choose({ticket.request.engine for ticket in able}, urgent)

    def _lacks_audio(self) -> bool:
        """Return True if a running request has no audio."""
        return not all(ticket.has_audio for ticket in self._parts.queue.running())

    def sleep(self) -> None:
        """Wait until there is work."""
        parts = self._parts
        due = parts.queue.next_deadline()
        if due is not None and parts.loaded.waiting():
            due = min(due, parts.clock() + LOOK_AGAIN_S)
        elif self._next_engine() is not None:  # the input of an engine arrived during this turn
            return
        parts.worker.idle = True
        parts.work.wait(None if due is None else max(0.0, due - parts.clock()))
        parts.worker.idle = False

    # The methods below run one step.

    def step(self, name: str) -> None:
        """Run one step of an engine, and deliver its events."""
        parts = self._parts
        engine, rows = parts.loaded.by_name[name], parts.queue.running(name)
        waiting = parts.loaded.call(name, lambda: set(engine.waiting))
        held = {ticket.id for ticket in rows if parts.sharing.is_held(ticket) or ticket.id in waiting}
        paused = {ticket.id for ticket in parts.queue.paused(name)}
        started = parts.clock()
        try:
            events = parts.loaded.call(name, engine.step, held | paused, parts.sharing.yielding)
        except OutOfMemory as error:
            self._shrink(name, rows, error)
            return
        seconds = parts.clock() - started
        self._charge(name, seconds, rows, held)
        parts.report(SchedulerEvent(parts.clock(), "stepped", name, "", {"step_s": seconds, "rows": float(len(rows))}))
        parts.loaded.calling = name
        for event in events:
            parts.lifecycle.deliver(event)
        parts.loaded.calling = ""
        if parts.sharing.yielding:
            self._pause(name, engine, rows)

    def _charge(self, name: str, seconds: float, rows: list[Ticket], held: set[str]) -> None:
        """Add device time to an engine, and share the time among the requests of the step."""
        self._parts.shares.charge(name, seconds)
        self._parts.maintenance.stepped(seconds)
        for ticket in rows:
            if ticket.id not in held:
                ticket.charge(seconds / (len(rows) - len(held)))

    def _pause(self, name: str, engine: Engine, rows: list[Ticket]) -> None:
        """Pause the requests that yield and are between two segments."""
        between = self._parts.loaded.call(name, lambda: engine.between_segments)
        for ticket in [each for each in rows if each.id in self._parts.sharing.yielding and each.id in between]:
            self._parts.lifecycle.pause(ticket)

    def _shrink(self, name: str, rows: list[Ticket], error: OutOfMemory) -> None:
        """After an out-of-memory error, queue the newest request again; end the request if it ran alone or has audio."""
        parts, newest = self._parts, rows[-1]
        parts.loaded.calling = ""
        if len(rows) == 1:
            return parts.lifecycle.end(newest, error)
        log.warning("%s ran out of memory with %d requests; one is queued again", name, len(rows))
        parts.sharing.limit(name, len(rows) - 1)
        if newest.has_audio:
            return parts.lifecycle.end(newest, error)
        parts.loaded.drop(name, newest.id)
        if parts.queue.requeue(newest):
            newest.requeue()
