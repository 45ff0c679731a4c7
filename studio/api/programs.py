"""Speech requests of programs: callers, orders for their lines, and the requests that run."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engines.errors import NotReady
from engines.scheduling.ticket import Ticket
from engines.text import without_directions
from engines.types import Audio, EngineStatus, Reference, Setting
from studio.errors import NotFound
from studio.named_voices import asked_for
from studio.order import Order, read_order
from studio.studio import Studio
from studio.telemetry.origin import current
from studio.web.callers import Caller, Callers, LimitReached
from studio.web.drain import Drain

STREAM_WAIT_S = 5  # seconds until a refused caller may retry


class UnknownRequest(NotFound):
    """This caller has no running request with this id."""


@dataclass(eq=False)
class Stream:
    """One answer that is generated, and its requests."""

    caller: Caller
    # A client may send the same id with several requests.
    request_id: str = field(default_factory=lambda: current().request_id)
    tickets: list[Ticket] = field(default_factory=list)
    stopped: bool = False

    def stop(self) -> None:
        """Cancel the running requests of the answer, and refuse later ones."""
        self.stopped = True
        for ticket in self.tickets:
            ticket.cancel()


class Programs:
    """The speech requests of programs. Thread-safe."""

    def __init__(self, studio: Studio, drain: Drain) -> None:
        self.callers = Callers(studio.settings)
        self._studio, self._drain = studio, drain
        self._streams: set[Stream] = set()
        self.refusals = studio.telemetry.recorder.refusals
        self._lock = threading.Lock()

    def order(self, text: str, voice: str, model: str, settings: Mapping[str, object]) -> Order:
        """Return an order for a line by a named voice, as `NamedVoices.order` does. Raises EngineError.

        An engine that still loads raises NotReady, because programs have their own time limits.
        """
        with self.refusals(model):
            order = self._studio.named_voices.order(text, voice, model, settings)
            self._engine(order.engine)
            return order

    def order_for_reference(self, text: str, model: str, settings: Mapping[str, object]) -> Order:
        """Return an order for a line whose reference comes with the request. Raises EngineError."""
        with self.refusals(model):
            engine = self._engine(model)
            return read_order({**asked_for(settings), "text": text, "engine": engine.name})

    def converting_engine(self) -> str:
        """Return the first engine of the studio that speaks recordings; if none does, the first engine, which then refuses."""
        statuses = self._studio.manager.statuses()
        return next((status.name for status in statuses if status.converts), statuses[0].name)

    def settings_of(self, engine: str) -> Mapping[str, Setting]:
        """Return the settings of an engine by name. Raises UnknownEngine."""
        return self._engine(engine).settings

    def markers_of(self, engine: str) -> Sequence[str]:
        """Return the stage directions that an engine performs; none while the engine is not loaded. Raises UnknownEngine."""
        info = self._engine(engine).info
        return info.markers if info else ()

    def detect(self, order: Order, text: str) -> str:
        """Return the language of a text, as `NamedVoices.detect` does."""
        return self._studio.named_voices.detect(order, text)

    def has_words(self, text: str) -> bool:
        """Return True if a text contains more than stage directions that are not spoken."""
        return bool((without_directions(text) if self._studio.settings.stage_directions else text).strip())

    def open(self, caller: Caller) -> Stream:
        """Begin an answer, which `close` must end. Raises Closing, LimitReached."""
        most, stream = self._studio.settings.api_streams, Stream(caller)
        with self.refusals(""), self._lock:
            self._drain.require_open()
            if most and sum(each.caller == caller for each in self._streams) >= most:
                raise LimitReached(
                    f"the limit of concurrent requests is {most}; wait until a request is finished", STREAM_WAIT_S
                )
            self._streams.add(stream)
        return stream

    def begin(
        self,
        caller: Caller,
        order: Order,
        arrived_at: float,
        reference: Reference | None = None,
        performance: Audio | None = None,
        *,
        live: bool = True,
    ) -> tuple[Stream, Ticket]:
        """Begin an answer with one request; the caller must call `close`. Raises EngineError."""
        stream = self.open(caller)
        try:
            return stream, self.start(stream, order, arrived_at, reference, performance, live=live)
        except BaseException:
            self.close(stream)
            raise

    def start(
        self,
        stream: Stream,
        order: Order,
        arrived_at: float,
        reference: Reference | None = None,
        performance: Audio | None = None,
        *,
        live: bool = True,
    ) -> Ticket:
        """Submit an order of this answer, with the reference or the recording that came with it, if any. Raises EngineError.

        Set `live` if the audio is heard while it is generated.
        """
        session_id = stream.caller.session_id
        ticket = self._studio.speaking.say(
            order,
            session_id=session_id,
            arrived_at=arrived_at,
            reference=reference,
            performance=performance,
            live=live,
        )
        stream.tickets.append(ticket)
        if stream.stopped:
            ticket.cancel()
        return ticket

    def close(self, stream: Stream) -> None:
        """Stop an answer and remove it from the list."""
        stream.stop()
        with self._lock:
            self._streams.discard(stream)

    def stop(self, caller: Caller, id: str) -> None:
        """Stop all answers of this caller with this request id. Raises UnknownRequest."""
        with self._lock:
            streams = [each for each in self._streams if each.caller == caller and each.request_id == id]
        if not streams:
            raise UnknownRequest("request not found; the request may have ended")
        for stream in streams:
            stream.stop()

    def _engine(self, name: str) -> EngineStatus:
        """Return the status of an engine. Raises UnknownEngine, and NotReady while the engine loads."""
        status = self._studio.named_voices.engine(name)
        if status.state == "loading":
            raise NotReady(f"{status.title} is still loading ({status.message}); try again in a few seconds")
        return status
