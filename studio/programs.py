"""What programs ask for: who asks, how a line becomes an order, and which of their requests run."""

import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from engines.errors import BadSetting, NotReady
from engines.scheduling.ticket import Ticket
from engines.types import EngineStatus, Reference
from studio.champions.champion import Champion, UnknownChampion, champion_settings
from studio.errors import NotFound
from studio.order import Order, read_order, shown
from studio.studio import Studio
from studio.web.callers import Caller, Callers, LimitReached
from studio.web.drain import Drain

STREAM_WAIT_S = 5  # until asking again is worth it


class UnknownRequest(NotFound):
    """No such request of this caller runs."""


@dataclass(eq=False)
class Stream:
    """One answer in the making, and the requests that speak it."""

    caller: Caller
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    tickets: list[Ticket] = field(default_factory=list)
    stopped: bool = False

    def stop(self) -> None:
        """Stop what runs, and whatever is started later."""
        self.stopped = True
        for ticket in self.tickets:
            ticket.cancel()


@dataclass(frozen=True, slots=True)
class ProgramVoice:
    """A voice that a program may name."""

    id: str
    name: str
    kind: Literal["champion", "sample"]
    model: str  # the engine it was kept with; "" where any will do


class Programs:
    """Any thread may call it."""

    def __init__(self, studio: Studio, drain: Drain) -> None:
        self.callers = Callers(studio.settings)
        self._studio, self._drain = studio, drain
        self._streams: dict[str, Stream] = {}
        self._lock = threading.Lock()

    def voices(self) -> Sequence[ProgramVoice]:
        """Champions, then samples whose name no champion has."""
        champions = [voice_of(saved.champion) for saved in self._studio.champions.list()]
        taken = {each.id for each in champions}
        samples = [each.name for each in self._studio.session_clips.samples() if each.name not in taken]
        return [*champions, *(ProgramVoice(name, name.title(), "sample", "") for name in samples)]

    def order(self, text: str, voice: str, model: str, settings: Mapping[str, object]) -> Order:
        """A line as its champion was kept to speak, but for what is asked for otherwise. Raises EngineError.

        `voice` is a champion's id or a sample's name; `model` an engine, or "": the champion's own, or the studio's first where
        that does not run here. For an engine that still loads nobody waits: programs have time limits of their own.
        """
        if not voice:
            raise BadSetting("no voice is named; choose one that GET /v1/voices lists")
        asked = {**_asked(settings), "text": text}
        try:
            saved = self._studio.champions.get(voice)
        except UnknownChampion:
            sample = next((one for one in self._studio.session_clips.samples() if one.name == voice), None)
            if sample is None:
                raise
            engine = self._engine(model or self._studio.settings.engines[0])
            length_s = self._studio.session_clips.get("", sample.clip_id).audio.duration_s
            clip = {"clip_id": sample.clip_id, "end_s": length_s, "transcript": sample.transcript}
            return read_order({**asked, **clip, "engine": engine.name})
        champion, here = saved.champion, {status.name for status in self._studio.manager.statuses()}
        own = champion.engine if champion.engine in here else self._studio.settings.engines[0]
        engine = self._engine(model or own)
        heeded = {"seed", *engine.settings} if engine.name == champion.engine else set()
        liked = {name: value for name, value in champion.settings.items() if name in heeded}
        return read_order({**liked, **asked, "champion": voice, "version": saved.version, "engine": engine.name})

    def order_for_reference(self, text: str, model: str, settings: Mapping[str, object]) -> Order:
        """A line for a reference that comes with the request. Raises EngineError."""
        engine = self._engine(model or self._studio.settings.engines[0])
        return read_order({**_asked(settings), "text": text, "engine": engine.name})

    def open(self, caller: Caller) -> Stream:
        """Begin an answer; `close` must follow. Raises Closing, LimitReached."""
        self._drain.require_open()
        most, stream = self._studio.settings.api_streams, Stream(caller)
        with self._lock:
            if most and sum(each.caller == caller for each in self._streams.values()) >= most:
                raise LimitReached(f"{most} requests at a time are allowed here; wait for one to end", STREAM_WAIT_S)
            self._streams[stream.id] = stream
        return stream

    def begin(
        self, caller: Caller, order: Order, arrived_at: float, reference: Reference | None = None
    ) -> tuple[Stream, Ticket]:
        """An answer of one request; `close` must follow. Raises EngineError."""
        stream = self.open(caller)
        try:
            return stream, self.start(stream, order, arrived_at, reference)
        except BaseException:
            self.close(stream)
            raise

    def start(self, stream: Stream, order: Order, arrived_at: float, reference: Reference | None = None) -> Ticket:
        """Submit an order of this answer, with the reference that came with it if any did. Raises EngineError."""
        session_id = stream.caller.session_id
        ticket = self._studio.speaking.say(order, session_id=session_id, arrived_at=arrived_at, reference=reference)
        stream.tickets.append(ticket)
        if stream.stopped:
            ticket.cancel()
        return ticket

    def close(self, stream: Stream) -> None:
        """Forget an answer; what still runs of it is stopped."""
        stream.stop()
        with self._lock:
            self._streams.pop(stream.id, None)

    def stop(self, caller: Caller, id: str) -> None:
        """Stop an answer to this caller. Raises UnknownRequest."""
        with self._lock:
            stream = self._streams.get(id)
        if stream is None or stream.caller != caller:
            raise UnknownRequest("no such request of yours runs; it may have ended already")
        stream.stop()

    def _engine(self, name: str) -> EngineStatus:
        """Raises UnknownEngine, and NotReady while it loads."""
        status = self._studio.manager.status(name)
        if status.state == "loading":
            raise NotReady(f"{status.title} is still loading ({status.message}); ask again in a few seconds")
        return status


def voice_of(champion: Champion) -> ProgramVoice:
    return ProgramVoice(champion.id, champion.title, "champion", champion.engine)


def _asked(settings: Mapping[str, object]) -> dict[str, object]:
    """Settings of the take. A name that nobody knows is refused, not ignored: a misspelt one would be another take."""
    known = champion_settings()
    for name in settings.keys() - known:
        choice = ", ".join(sorted(known))
        raise BadSetting(f"there is no {shown(name)} here; leave it out, or choose among {choice}")
    return {name: value for name, value in settings.items() if value is not None}
