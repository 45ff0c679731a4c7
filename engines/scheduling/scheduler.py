"""The one worker thread that owns the device and runs every engine, one step at a time.

Each turn (`turns.py`) ends cancelled and overdue requests, admits waiting ones, runs one item of maintenance (loading,
warming) if one is due, and steps an engine (`device_shares.py`). Nothing else touches the device.

`supervisor.py` replaces a thread that hangs or has ended.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from engines.base import Engine
from engines.errors import Cancelled, Closing, EngineError
from engines.scheduling.device_shares import DeviceShares
from engines.scheduling.endings import Endings
from engines.scheduling.eta import EtaRequest
from engines.scheduling.lifecycle import Lifecycle
from engines.scheduling.loaded_engines import LoadedEngines
from engines.scheduling.maintenance import MaintenanceQueue, MaintenanceTask
from engines.scheduling.preparation import Preparation
from engines.scheduling.request_queue import RequestQueue
from engines.scheduling.row_sharing import RowSharing
from engines.scheduling.ticket import Position, Ticket
from engines.scheduling.turns import Parts, Turns
from engines.scheduling.worker import ThreadState, Worker
from engines.types import SchedulerEvent, Setting

STOP_S = 10.0  # time for the current step when the scheduler closes
CLOSED = "the studio shut down before this take was ready; generate it again"


@dataclass(frozen=True, slots=True)
class Activity:
    """What the scheduler's thread does at the moment."""

    thread: ThreadState
    engine: str  # name of the engine that is called; empty if no engine is called
    maintains: bool  # an engine is loading, warming up or unloading


class Scheduler:
    """Accepts requests and maintenance from any thread and runs them on its own thread."""

    def __init__(
        self,
        *,
        queue_size: int,
        report: Callable[[SchedulerEvent], None],
        broken: Callable[[str, BaseException], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Create the scheduler; on its thread, `report` gets every event and `broken` every failed engine with its error."""
        self.clock = clock
        self._lock = threading.RLock()
        self._work = threading.Event()  # set when something changed since this turn began
        self._closing = False
        self._worker = Worker(self._turn, self._recover)
        require_current = self._worker.require_current
        self._loaded = LoadedEngines(require_current, self._break)
        self._shares = DeviceShares()
        self._queue = RequestQueue(queue_size, self._lock, self._loaded.by_name)
        self._sharing = RowSharing(self._queue)
        self._lifecycle = Lifecycle(self._queue, self._loaded.by_name, report, self._loaded.drop, clock)
        self._endings = Endings(self._queue, self._lifecycle, self._lock, clock)
        self._maintenance = MaintenanceQueue(self._work.set, require_current, clock)
        self._preparation = Preparation(self._work.set, self.fail)
        self._turns = Turns(self._parts(report), lambda: self._closing, broken)

    def _parts(self, report: Callable[[SchedulerEvent], None]) -> Parts:
        return Parts(
            clock=self.clock,
            report=report,
            lock=self._lock,
            work=self._work,
            worker=self._worker,
            loaded=self._loaded,
            shares=self._shares,
            queue=self._queue,
            sharing=self._sharing,
            lifecycle=self._lifecycle,
            endings=self._endings,
            maintenance=self._maintenance,
            preparation=self._preparation,
        )

    def _turn(self) -> bool:
        return self._turns.turn()

    def _recover(self, error: BaseException) -> bool:
        return self._turns.recover(error)

    def _break(self, name: str, error: BaseException) -> None:
        self._turns.break_engine(name, error)

    # Any thread may call the methods below.

    def start(self) -> None:
        """Start the worker thread."""
        self._worker.start()

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
        self,
        items: Iterator[object],
        on_end: Callable[[BaseException | None], None],
        *,
        engine: str = "",
        low_priority: bool = False,
    ) -> None:
        """Run maintenance of an engine on the scheduler's thread: one item per turn, in order, `low_priority` work last."""
        self._maintenance.add(MaintenanceTask(items, on_end, engine, low_priority))

    def fail(self, ticket: Ticket, error: EngineError) -> None:
        """End a request with this error before the next step."""
        self._endings.add(ticket, error)
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
        self._worker.join(drain_s)
        for ticket in self.tickets():
            self.fail(ticket, Closing(CLOSED))
        if not self._worker.join(STOP_S):
            self.abandon(Closing(CLOSED))
        self._preparation.close()

    # Maintenance calls the methods below, on the scheduler's thread.

    def attach(self, name: str, engine: Engine, settings: Iterable[Setting]) -> None:
        """Let a loaded engine speak; its settings are used to estimate times."""
        self._sharing.add_engine(name, engine.info.rows)
        self._queue.estimator.add_engine(name, settings, engine.info.defaults)
        self._shares.add(name)
        self._loaded.add(name, engine)

    def detach(self, name: str) -> None:
        """Stop using an engine."""
        self._sharing.remove_engine(name)
        self._shares.remove(name)
        self._loaded.remove(name)

    def require_current(self) -> None:
        """Raise ThreadReplaced if the calling thread was replaced."""
        self._worker.require_current()

    # The supervisor calls the methods below, on its thread.

    @property
    def hangs(self) -> bool:
        """Return True if a replaced thread still runs."""
        return self._worker.hangs

    @property
    def closing(self) -> bool:
        """Return True if new requests are refused."""
        return self._closing

    def activity(self) -> Activity:
        """Return what the thread does."""
        task = self._maintenance.running
        engine = self._loaded.calling or (task.engine if task else "")
        return Activity(self._worker.state(), engine, maintains=task is not None)

    def end_during_hang(self) -> None:
        """End failed, cancelled and overdue requests while the thread hangs. Their jobs are dropped later."""
        self._endings.end_during_hang()

    def restart(self, failure: EngineError) -> None:
        """Replace a thread that hangs or has ended. Started requests end with `failure`; waiting requests remain."""
        self._forget(self._queue.started, failure)
        self._worker.start()

    def abandon(self, failure: EngineError) -> None:
        """End all requests, and refuse new requests. A hanging thread ends after its current call of an engine."""
        self._closing = True
        self._forget(self._queue.tickets, failure)
        self._worker.stop()

    def _forget(self, affected: Callable[[], list[Ticket]], failure: EngineError) -> None:
        with self._lock:
            self._worker.replace_thread()
            self._loaded.clear()
            self._shares.clear()
            self._sharing.clear()
            self._maintenance.clear()
            self._endings.forget_jobs()
            tickets = affected()
        for ticket in tickets:
            self._lifecycle.end(ticket, failure)

    # Tickets call the method below.

    def _cancel(self, ticket: Ticket) -> None:
        self.fail(ticket, Cancelled("stopped"))
        self._loaded.interrupt(ticket.request.engine, ticket.id)
