"""The states of a request between submission and end; every change is reported to a listener."""

from collections.abc import Callable, Mapping

from engines.base import Advanced, Engine, Event, Finished, Refused, Spoke
from engines.errors import BadInput, Cancelled, EngineError, EngineFailed
from engines.scheduling.request_queue import RequestQueue
from engines.scheduling.ticket import Ticket
from engines.types import SchedulerEvent

COST_FIGURES = ("queued_s", "ttfa_s", "total_s", "compute_s", "audio_s")


class Lifecycle:
    """Moves tickets through the queue, and informs engines and listeners.

    Only the scheduler's thread calls the methods, except `report` and `end`. The queue lets only one thread end a ticket.
    """

    def __init__(
        self,
        queue: RequestQueue,
        engines: Mapping[str, Engine],
        listener: Callable[[SchedulerEvent], None],
        drop: Callable[[str, str], None],
        clock: Callable[[], float],
    ) -> None:
        """Create the lifecycle. `engines` are the loaded engines by name; `drop` makes an engine drop a job."""
        self._queue, self._engines, self._listener, self._clock = queue, engines, listener, clock
        self._drop = drop

    def report(self, kind: str, ticket: Ticket, **figures: float) -> None:
        """Report a change of a ticket to the listener; `kind` as in SchedulerEvent."""
        event = SchedulerEvent(self._clock(), kind, ticket.request.engine, ticket.id, figures)  # type: ignore[arg-type]
        self._listener(event)

    def admit(self, ticket: Ticket) -> None:
        """Start a ticket that the queue has admitted, or resume a paused one."""
        resumed = ticket.paused
        ticket.admit(self._clock())
        if not resumed:
            self.report("admitted", ticket, queued_s=ticket.admitted_at - ticket.arrived_at)

    def pause(self, ticket: Ticket) -> None:
        """Let a running ticket wait for its next turn; the engine keeps the unfinished job."""
        if self._queue.requeue(ticket):
            ticket.pause()

    def deliver(self, event: Event) -> None:
        """Pass an event of an engine to its ticket; ignore it if the ticket is gone."""
        ticket = self._queue.get_running(event.job_id)
        if ticket is None:
            return
        match event:
            case Advanced():
                ticket.advance(event.fraction)
            case Spoke():
                if ticket.add_audio(event.audio, self._clock()):
                    self.report("first_audio", ticket, ttfa_s=ticket.first_audio_s or 0.0)
            case Refused():
                self.end(ticket, event.error)
            case Finished():
                self._finish(ticket, event)

    def end(self, ticket: Ticket, error: EngineError, drop: Callable[[str, str], None] | None = None) -> None:
        """End a request without a take; do nothing if the request has ended. `drop` replaces the lifecycle's `drop`."""
        state = self._queue.remove(ticket)
        if state is None:
            return
        if state == "running" or ticket.paused:
            (drop or self._drop)(ticket.request.engine, ticket.id)
        self._fail(ticket, error)

    def _fail(self, ticket: Ticket, error: EngineError) -> None:
        ticket.fail(error)
        kind = "cancelled" if isinstance(error, Cancelled) else "refused" if isinstance(error, BadInput) else "failed"
        self.report(kind, ticket)

    def _finish(self, ticket: Ticket, event: Finished) -> None:
        if not ticket.has_audio:
            self.end(ticket, EngineFailed("the engine generated no audio for this text; change the wording"))
            return
        engine, weights = self._engines[ticket.request.engine], ticket.request.weights
        checkpoint = engine.info.checkpoint if weights is None else weights.label
        figures = engine.figures
        if self._queue.remove(ticket) is None:
            return
        ticket.charge(event.thread_s)
        try:
            cost = ticket.finish(self._clock(), checkpoint, event.notes, event.voice_codes).cost
        except Exception as error:  # for example, not enough memory
            return self._fail(ticket, EngineFailed(f"joining the audio failed ({error}); use a shorter text"))
        self._queue.estimator.learn(ticket)
        self.report("done", ticket, **{name: getattr(cost, name) for name in COST_FIGURES}, **figures)
