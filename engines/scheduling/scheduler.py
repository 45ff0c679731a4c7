"""The device: one worker thread that drives every engine, one step at a time.

Each turn takes in what came from outside (cancels, deadlines, new requests), advances one piece of control work (loading,
warming) by one item where that is not resting, and steps the engine that has used the least device time. Nothing else
touches the device.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from engines.base import Advanced, Engine, Event, Finished, Job, Refused, Spoke
from engines.errors import BadInput, Cancelled, Closing, EngineError, EngineFailed, OutOfMemory, QueueFull, TimedOut
from engines.scheduling.eta import Pace, Wanted, ends
from engines.scheduling.fairness import Rotation
from engines.scheduling.ticket import Ticket
from engines.types import SchedulerEvent

log = logging.getLogger(__name__)

LOOK_AGAIN_S = 0.01  # while an engine waits for something else than the device
REST = 2.0  # control work stands back for this many times what its last item took, while there is something to speak


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """Control work for the scheduler: an iterator whose items are short, and who is told how it ended."""

    items: Iterator[object]
    ended: Callable[[Exception | None], None]


class Scheduler:
    def __init__(
        self,
        *,
        queue_size: int,
        report: Callable[[SchedulerEvent], None],
        broken: Callable[[str, Exception], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`report` hears every event; `broken` that an engine failed while stepping. Both run on the scheduler's thread."""
        self.clock = clock
        self._queue_size = queue_size
        self._report, self._broken = report, broken
        self._bell = threading.Condition()
        self._waiting: list[Ticket] = []
        self._running: dict[str, Ticket] = {}
        self._leaving: list[tuple[Ticket, EngineError]] = []
        self._work: deque[Work] = deque()
        self._rest_s = 0.0  # of stepping, before control work goes on
        self._engines: dict[str, Engine] = {}
        self._used_s: dict[str, float] = {}
        self._fits: dict[str, int] = {}  # most requests an engine has memory for, learned the hard way, until it idles
        self._rotation = Rotation()
        self._pace = Pace()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="scheduler", daemon=True)

    # From any thread.

    def start(self) -> None:
        self._thread.start()

    def submit(self, ticket: Ticket) -> None:
        """Queue a request. Raises QueueFull, Closing."""
        try:
            self._accept(ticket)
        except EngineError:
            self._say("refused", ticket)
            raise
        self._say("arrived", ticket)

    def _accept(self, ticket: Ticket) -> None:
        with self._bell:
            if self._closing:
                raise Closing("the studio is shutting down; try again when it is back")
            if len(self._waiting) >= self._queue_size:
                raise QueueFull(f"{len(self._waiting)} requests are waiting already; try again in a moment")
            ticket.attach(self._cancel, self._wake, self._place)
            self._waiting.append(ticket)
            self._bell.notify()

    def do(self, items: Iterator[object], ended: Callable[[Exception | None], None]) -> None:
        """Run control work on the scheduler's thread, one item a turn, in the order it was given."""
        with self._bell:
            self._work.append(Work(items, ended))
            self._bell.notify()

    def queue(self) -> list[Ticket]:
        """Running tickets in order of admission, then waiting ones in order of rank."""
        with self._bell:
            return list(self._running.values()) + self._in_turn()

    def busy(self, engine: str) -> bool:
        """Whether a request for this engine is waiting or running (its lease)."""
        with self._bell:
            return any(t.request.engine == engine for t in (*self._running.values(), *self._waiting))

    def close(self, drain_s: float) -> None:
        """Refuse new requests, finish accepted ones, stop the thread; what is not done in time is cancelled."""
        with self._bell:
            self._closing = True
            self._bell.notify()
        self._thread.join(drain_s)
        for ticket in self.queue():
            self.leave(ticket, Closing("the studio shut down before this take was made; speak it again"))
        self._thread.join(10.0)

    def etas(self, wanted: Sequence[Wanted]) -> list[float | None]:
        """Seconds until each of these would be done if they came as soon as there is room; None where nobody knows."""
        with self._bell:
            running, waiting = list(self._running.values()), self._in_turn()
        return self._ends(running, waiting, wanted)[len(running) + len(waiting) :]

    # From control work, on the scheduler's thread.

    def attach(self, name: str, engine: Engine) -> None:
        self._engines[name] = engine
        self._pace.meet(name, engine.info.defaults.get("steps"))
        self._used_s[name] = max(self._used_s.values(), default=0.0)

    def detach(self, name: str) -> Engine | None:
        self._used_s.pop(name, None)
        return self._engines.pop(name, None)

    # The worker.

    def _run(self) -> None:
        while True:
            self._let_go()
            self._admit()
            worked = (self._rest_s <= 0 or self._next_engine() is None) and self._advance_work()
            name = self._next_engine()
            if name is not None:
                self._step(name)
            elif not worked and not self._rest():
                return

    def _rest(self) -> bool:
        """Sleep until something comes; false when the scheduler is closed and empty."""
        with self._bell:
            if self._leaving or self._work:
                return True
            if self._closing and not self._waiting and not self._running:
                return False
            due = min((ticket.deadline for ticket in (*self._waiting, *self._running.values())), default=None)
            if due is not None and self._waiting_elsewhere():
                due = min(due, self.clock() + LOOK_AGAIN_S)
            self._bell.wait(None if due is None else max(0.0, due - self.clock()))
            return True

    def _waiting_elsewhere(self) -> set[str]:
        """Requests that need no step now, since what they wait for comes from the disk or the CPU."""
        return {id for engine in self._engines.values() for id in engine.waiting}

    def _let_go(self) -> None:
        """Drop what was cancelled or is past its deadline."""
        now = self.clock()
        with self._bell:
            leaving, self._leaving = self._leaving, []
            late = [t for t in (*self._waiting, *self._running.values()) if now >= t.deadline]
        for ticket in late:
            waited = now - ticket.arrived_at
            leaving.append(
                (ticket, TimedOut(f"not finished {waited:.0f} s after it was asked for; try a shorter text"))
            )
        for ticket, error in leaving:
            self._end(ticket, error)

    def _admit(self) -> None:
        for ticket in self._in_turn_locked():
            engine = self._engines.get(ticket.request.engine)
            if engine is None or engine.room <= 0 or not self._fits_more(ticket.request.engine):
                continue
            with self._bell:
                if ticket not in self._waiting:
                    continue
                self._rotation.served(ticket.session_id, [each.session_id for each in self._waiting])
                self._waiting.remove(ticket)
                self._running[ticket.id] = ticket
            ticket.admitted(self.clock())
            self._say("admitted", ticket, queued_s=ticket.admitted_at - ticket.arrived_at)
            try:
                engine.admit(Job(ticket.id, ticket.request))
            except EngineError as error:
                self._end(ticket, error)
            except Exception as error:
                self._break(ticket.request.engine, error)

    def _fits_more(self, name: str) -> bool:
        rows = sum(ticket.request.engine == name for ticket in self._running.values())
        if rows == 0:
            self._fits.pop(name, None)
        return rows < self._fits.get(name, rows + 1)

    def _advance_work(self) -> bool:
        with self._bell:
            work = self._work[0] if self._work else None
        if work is None:
            return False
        started = self.clock()
        try:
            next(work.items)
        except StopIteration:
            self._end_work(work, None)
        except Exception as error:
            self._end_work(work, error)
        self._rest_s = REST * (self.clock() - started)
        return True

    def _end_work(self, work: Work, error: Exception | None) -> None:
        with self._bell:
            self._work.popleft()
        work.ended(error)

    def _next_engine(self) -> str | None:
        """The engine with something to do that has used the least device time."""
        waiting = self._waiting_elsewhere()
        able = {t.request.engine for t in self._running.values() if t.id not in waiting and not t.behind}
        return min(able & self._engines.keys(), key=lambda name: self._used_s[name], default=None)

    def _step(self, name: str) -> None:
        rows = [t for t in self._running.values() if t.request.engine == name]
        held = {ticket.id for ticket in rows if ticket.behind} | set(self._engines[name].waiting)
        started = self.clock()
        try:
            events = self._engines[name].step(held)
        except OutOfMemory as error:
            self._make_room(name, rows, error)
            return
        except Exception as error:
            self._break(name, error)
            return
        took = self.clock() - started
        self._used_s[name] += took
        self._rest_s -= took
        for ticket in rows:
            if ticket.id not in held:
                ticket.compute_s += took / (len(rows) - len(held))
        self._report(SchedulerEvent(self.clock(), "stepped", name, "", {"step_s": took, "rows": float(len(rows))}))
        for event in events:
            self._deliver(event)

    def _deliver(self, event: Event) -> None:
        ticket = self._running.get(event.job_id)
        if ticket is None:
            return
        match event:
            case Advanced():
                ticket.advanced(event.fraction)
            case Spoke():
                if ticket.spoke(event.audio, self.clock()):
                    self._say("first_audio", ticket, ttfa_s=ticket.first_audio_s or 0.0)
            case Refused():
                self._end(ticket, event.error)
            case Finished():
                self._finish(ticket)

    def _finish(self, ticket: Ticket) -> None:
        if not ticket.has_audio:
            self._end(ticket, EngineFailed("the engine made no audio for this text; try another wording"))
            return
        with self._bell:
            self._running.pop(ticket.id, None)
        weights, own = ticket.request.weights, self._engines[ticket.request.engine].info.checkpoint
        cost = ticket.finish(self.clock(), own if weights is None else weights.label).cost
        self._pace.learn(ticket)
        figures = {name: getattr(cost, name) for name in ("queued_s", "ttfa_s", "total_s", "compute_s", "audio_s")}
        self._say("done", ticket, **figures, **self._engines[ticket.request.engine].figures)

    def _end(self, ticket: Ticket, error: EngineError) -> None:
        with self._bell:
            known = ticket in self._waiting or ticket.id in self._running
            if ticket in self._waiting:
                self._waiting.remove(ticket)
            running = self._running.pop(ticket.id, None)
        if not known:
            return
        if running is not None and ticket.request.engine in self._engines:
            self._engines[ticket.request.engine].drop(ticket.id)
        ticket.fail(error)
        brought = (
            "cancelled" if isinstance(error, Cancelled) else "refused" if isinstance(error, BadInput) else "failed"
        )
        self._say(brought, ticket)

    def _make_room(self, name: str, rows: list[Ticket], error: OutOfMemory) -> None:
        """Out of memory: the newest request goes back to the queue, unless it was alone and can never fit."""
        newest = rows[-1]
        if len(rows) == 1:
            self._end(newest, error)
            return
        log.warning("%s ran out of memory with %d requests; one waits again", name, len(rows))
        self._fits[name] = len(rows) - 1
        self._engines[name].drop(newest.id)
        if newest.has_audio:
            self._end(newest, error)
            return
        with self._bell:
            self._running.pop(newest.id, None)
            self._waiting.insert(0, newest)
        newest.requeued()

    def _break(self, name: str, error: Exception) -> None:
        """An engine failed: its requests fail with it, the scheduler and the other engines go on."""
        log.error("engine %s failed", name, exc_info=error)
        failure = EngineFailed(f"{name} failed while speaking ({error}); it is loaded again, then speak once more")
        failure.__cause__ = error
        for ticket in [t for t in self._running.values() if t.request.engine == name]:
            self._end(ticket, failure)
        self._broken(name, error)

    # Places in the queue.

    def _in_turn(self) -> list[Ticket]:
        """Waiting tickets in the order they are admitted."""
        return self._rotation.order(self._waiting, lambda ticket: ticket.session_id)

    def _in_turn_locked(self) -> list[Ticket]:
        with self._bell:
            return self._in_turn()

    def _place(self, ticket: Ticket) -> tuple[int, float | None]:
        with self._bell:
            running, waiting = list(self._running.values()), self._in_turn()
        left_s = self._ends(running, waiting)
        if ticket in waiting:
            rank = waiting.index(ticket) + 1
            return rank, left_s[len(running) + rank - 1]
        return 0, left_s[running.index(ticket)] if ticket in running else None

    def _ends(
        self, running: Sequence[Ticket], waiting: Sequence[Ticket], wanted: Sequence[Wanted] = ()
    ) -> list[float | None]:
        """Seconds until each of these is done. Who waits does so because no more are spoken at a time than run now."""
        left = [self._pace.left_s(ticket) for ticket in running]
        own = [*(ticket.request for ticket in waiting), *wanted]
        needs = [self._pace.expected_s(each) if each.engine in self._engines else None for each in own]
        return ends(left, needs, max(1, len(running)))

    def _cancel(self, ticket: Ticket) -> None:
        self.leave(ticket, Cancelled("stopped"))

    def leave(self, ticket: Ticket, error: EngineError) -> None:
        """End a request with this error before the next step."""
        with self._bell:
            self._leaving.append((ticket, error))
            self._bell.notify()

    def _wake(self) -> None:
        with self._bell:
            self._bell.notify()

    def _say(self, kind: str, ticket: Ticket, **figures: float) -> None:
        self._report(SchedulerEvent(self.clock(), kind, ticket.request.engine, ticket.id, figures))  # type: ignore[arg-type]
