"""Render takes in the background, in one thread that yields the device to all other requests."""

import logging
import threading
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

from engines.errors import Cancelled, Closing, EngineError, NotReady, QueueFull
from engines.scheduling.manager import Manager
from engines.scheduling.ticket import Ticket
from engines.types import SchedulerEvent, Take
from studio.errors import NotStored
from studio.history import History, UnknownTake
from studio.order import Order
from studio.script.line_takes import CheckTake, LineTakes
from studio.script.projects import Projects
from studio.script.render_admission import RenderAdmission
from studio.script.render_choice import RenderChoice
from studio.script.render_progress import RenderStatus
from studio.script.render_queue import RenderQueue
from studio.script.render_search import TakeJob
from studio.script.rendering import PlannedTake, RenderState
from studio.speaking import SpeechService
from studio.telemetry.origin import RequestOrigin, within

log = logging.getLogger(__name__)

RETRY_S = 1.0  # seconds to wait after the queue was full or an engine was not ready
LOOKED_AT = ("arrived", "admitted", "done", "failed", "cancelled", "engine")
# A generator that yields the orders for a take, receives the take of each, and returns the take to store.
Making = Generator[Order, Take, Take]


@dataclass(slots=True, eq=False)
class Speaking:
    """A take that is being spoken."""

    due: TakeJob
    making: Making
    order: Order
    ticket: Ticket


class Renderer:
    """The background renderer. Thread-safe; its own thread makes the takes."""

    def __init__(
        self,
        queue: RenderQueue,
        projects: Projects,
        history: History,
        speaking: SpeechService,
        manager: Manager,
        make: Callable[[PlannedTake], Making],
        check_take: CheckTake,
    ) -> None:
        """Use `make` to get the orders for a planned take."""
        self._queue, self._history, self._speaking, self._make = queue, history, speaking, make
        self._admission = RenderAdmission(manager)
        self._running: dict[str, Speaking] = {}  # by take id; used only on the renderer's thread
        self._wake, self._closed = threading.Event(), threading.Event()
        self._takes = LineTakes(projects, history, check_take, self._wake.set)
        self._retry_at = 0.0
        self._thread = threading.Thread(target=self._run, name="renderer", daemon=True)
        manager.listen(self._on_event)

    def start(self) -> None:
        """Start, and continue the renders that ran when the studio ended."""
        self._thread.start()

    def close(self) -> None:
        """Stop. Unfinished renders continue at the next start."""
        self._closed.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()
        self._takes.close()

    @property
    def closed(self) -> bool:
        """Return True if the studio is shutting down, so that nothing is rendered before the next start."""
        return self._closed.is_set()

    def begin(self, project_id: str, choice: RenderChoice) -> RenderStatus:
        """Start a render. Raises the errors of RenderQueue.begin."""
        begun = self._queue.begin(project_id, choice)
        self._wake.set()
        return begun

    def status(self, project_id: str) -> RenderStatus:
        """Return the status of a project's render. Raises UnknownRender."""
        now = list(self._running.values())
        making = tuple(dict.fromkeys(one.due.piece.line for one in now if one.due.project.id == project_id))
        return replace(self._queue.status(project_id), making=making)

    def running(self) -> Sequence[str]:
        """Return the ids of the projects whose render is running or paused."""
        return self._queue.running()

    def enter(self, project_id: str, state: RenderState) -> RenderStatus:
        """Pause, resume or stop a render. Raises UnknownRender, NotSaved."""
        entered = self._queue.enter(project_id, state)
        self._wake.set()
        return entered

    # Called on any thread.

    def _on_event(self, event: SchedulerEvent) -> None:
        if event.kind in LOOKED_AT:
            self._wake.set()

    # Called on the renderer's thread.

    def _run(self) -> None:
        self._takes.check(self._queue.unchecked(everything=True))
        while not self._closed.is_set():
            self._wake.clear()
            try:
                self._turn()
            except NotStored as error:
                log.error("renders are paused: %s", error)
                self._queue.pause_all(str(error))
                self._wake.set()
            except Exception:
                log.exception("the renderer failed; trying again")
                self._retry_at = time.monotonic() + RETRY_S
            wait_s = self._retry_at - time.monotonic()
            self._wake.wait(wait_s if wait_s > 0 else None)
        for speaking in self._running.values():
            speaking.ticket.cancel()

    def _turn(self) -> None:
        self._collect()
        if self._running and self._admission.must_stop():
            for speaking in self._running.values():
                speaking.ticket.cancel()  # the take is made again after the other requests
        waits = self._begin_due()
        self._queue.hold(waits and not self._running and self._admission.has_others())

    def _begin_due(self) -> bool:
        """Begin due takes. Return True if due takes have to wait."""
        while time.monotonic() >= self._retry_at:
            due = self._queue.next(lambda due: due.take_id in self._running)
            if due is None:
                self._takes.check(self._queue.unchecked())
                return False
            if not self._admission.can_begin(len(self._running)):
                return True
            self._begin(due)
        return True

    def _collect(self) -> None:
        for id, speaking in list(self._running.items()):
            while speaking.ticket.read() is not None:  # unread audio would pause the request
                pass
            if speaking.ticket.ended:
                del self._running[id]
                self._go_on(speaking)
            elif not self._is_wanted(speaking.due):
                speaking.ticket.cancel()

    def _go_on(self, speaking: Speaking) -> None:
        due = speaking.due
        try:
            take = speaking.ticket.result()
            self._queue.count_compute(due.project.id, take.cost.compute_s)
            self._speak(due, speaking.making, speaking.making.send(take))
        except StopIteration as ended:
            self._takes.keep(due, ended.value)
            self._queue.count_take(due.project.id, ended.value.audio.duration_s)
            self._admission.finished()
        except (Cancelled, Closing):
            return  # the take stays due
        except EngineError as error:
            self._queue.fail(due, error)
            self._admission.finished()

    def _begin(self, due: TakeJob) -> None:
        try:
            kept = self._history.get(due.project.session_id, due.take_id)
        except UnknownTake:
            making = self._make(due.piece)
            self._speak(due, making, next(making))
        else:
            self._takes.adopt(due, kept)

    def _speak(self, due: TakeJob, making: Making, order: Order) -> None:
        order = replace(order, seed=due.piece.seed)
        try:
            with within(RequestOrigin(due.take_id, "script")):
                ticket = self._speaking.say(order, session_id=due.project.session_id, live=False)
        except (QueueFull, NotReady):
            self._retry_at = time.monotonic() + RETRY_S
        except Closing:
            self._closed.set()
        except EngineError as error:
            self._queue.fail(due, error)
        else:
            self._running[due.take_id] = Speaking(due, making, order, ticket)
            ticket.listen(self._wake.set)

    def _is_wanted(self, due: TakeJob) -> bool:
        return self._queue.advances(due.project.id)
