"""Make the missing takes of listening sessions in the background, one after another. All other requests come first."""

import logging
import threading
from collections.abc import Callable

from engines.errors import Cancelled, Closing, EngineError, NotReady, QueueFull
from engines.scheduling.manager import Manager
from engines.scheduling.ticket import Ticket
from engines.types import SchedulerEvent
from studio.history import History
from studio.listening.sessions.session import SESSION_PREFIX
from studio.listening.sessions.takes import DueTake
from studio.script.render_admission import RenderAdmission
from studio.speaking import SpeechService
from studio.telemetry.origin import RequestOrigin, within

log = logging.getLogger(__name__)

RETRY_S = 1.0
STEP_S = 0.1  # longest wait for a take before the renderer looks at other requests


class SessionRenderer:
    """Makes takes in its own thread. Thread-safe."""

    def __init__(
        self,
        manager: Manager,
        speaking: SpeechService,
        history: History,
        next_due: Callable[[], DueTake | None],
        is_wanted: Callable[[DueTake], bool],
        failed: Callable[[DueTake, str], None],
        on_stored: Callable[[], None],
    ) -> None:
        """Make the takes that `next_due` returns until it returns None. Call `failed` with a take that cannot be made.

        A take is cancelled if `is_wanted` returns False. Call `on_stored` after each stored take.
        """
        self._admission = RenderAdmission(manager, SESSION_PREFIX)
        self._speaking, self._history = speaking, history
        self._next_due, self._is_wanted, self._failed, self._on_stored = next_due, is_wanted, failed, on_stored
        self.current: DueTake | None = None  # the take that is being made
        self._wake, self._closed = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="listening renderer", daemon=True)
        manager.listen(self._on_event)

    def start(self) -> None:
        """Start, and continue the renders that ran when the studio ended."""
        self._thread.start()

    def wake(self) -> None:
        """Look for takes that are due."""
        self._wake.set()

    def close(self) -> None:
        """Stop. Unfinished renders continue at the next start."""
        self._closed.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def _on_event(self, event: SchedulerEvent) -> None:
        if event.kind in ("done", "failed", "cancelled", "engine"):
            self._wake.set()

    def _run(self) -> None:
        while not self._closed.is_set():
            self._wake.clear()
            try:
                made = self._made_one()
            except Exception:
                log.exception("the renderer of listening sessions failed; trying again")
                made = not self._closed.wait(RETRY_S)
            if not made:
                self._wake.wait()

    def _made_one(self) -> bool:
        """Make the next take. Return False if no take is due."""
        due = self._next_due()
        if due is None:
            return False
        if not self._admission.can_begin(0):
            self._wake.wait(RETRY_S)
            return True
        self.current = due
        try:
            with within(RequestOrigin(due.id, "studio")):
                ticket = self._speaking.say(due.order, session_id=due.session.session_id, live=False)
            self._finish(due, ticket)
        except (QueueFull, NotReady, Cancelled):
            self._closed.wait(RETRY_S)
        except Closing:
            self._closed.set()
        except EngineError as error:
            self._failed(due, str(error))
        finally:
            self.current = None
        return True

    def _finish(self, due: DueTake, ticket: Ticket) -> None:
        """Wait for a take and store it. Raises Cancelled if other requests come first, or the take is not wanted any more."""
        while not ticket.wait(STEP_S):
            while ticket.read() is not None:  # unread audio would pause the request
                pass
            if self._closed.is_set() or self._admission.must_stop() or not self._is_wanted(due):
                ticket.cancel()
        take = ticket.result()
        self._admission.finished()
        self._history.add(due.session.session_id, due.order, take, id=due.id)
        self._on_stored()
