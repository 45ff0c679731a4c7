"""Speak orders: submit each order to the scheduler and store its take."""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from engines.errors import EngineError
from engines.registry import specs
from engines.scheduling.manager import Manager
from engines.scheduling.ticket import Ticket
from engines.text import Pause, VoicePassage, parse, with_spoken_directions, without_directions
from engines.types import NO_REFERENCE, Audio, Reference, Request, Samples, Status, Take, Weights
from studio import languages
from studio.dialogue import Dialogue, DialogueTurn, Submit
from studio.errors import NotFound
from studio.estimates import VoicePace, pace_in, spoken_reference
from studio.languages import ENGLISH
from studio.order import SEEDS, Order
from studio.passages import Passages
from studio.references.clip import Source
from studio.references.report import failures, speech_rate
from studio.references.window import Window
from studio.telemetry.recorder import Recorder
from studio.voice_designs import read_design

if TYPE_CHECKING:
    from studio.champions.champions import Champions
    from studio.history import History, StoredTake
    from studio.references.session_clips import SessionClips

KEPT_LIVE_TAKES = 64  # they stay readable after their end, so that a page can fetch their audio


class UnknownLiveTake(NotFound):
    """This session has no such live take: it ended long ago, or belongs to another session."""


class LiveTake:
    """An order while it is spoken, and for some time after. Thread-safe."""

    def __init__(
        self,
        session_id: str,
        order: Order,
        ticket: Ticket,
        rate: Callable[[], int | None],
        keep: Callable[[Take], "StoredTake"],
        warnings: Sequence[str] = (),
    ) -> None:
        self.id = ticket.id
        self.session_id = session_id
        self.order = order
        self._rate = rate
        doubted = [] if order.design else doubts(ticket.request.reference, of_clip=not order.champion)
        self.warnings = [*doubted, *warnings]
        self._ticket: Ticket | None = ticket  # None after the take is stored: this frees the reference
        self._status = ticket.status()
        self._keep = keep
        self._pieces: list[Samples] = []
        self._made = 0  # samples in _pieces
        self._stored: StoredTake | None = None
        self._lock = threading.Lock()

    @property
    def sample_rate(self) -> int | None:
        """Return the sample rate in Hz; None while the engine is loading."""
        return self._rate()

    def status(self) -> Status:
        ticket = self._ticket
        return self._status if ticket is None else ticket.status()

    def wait(self, timeout_s: float) -> bool:
        """Wait at most `timeout_s` for the end. Return True if the take is done, failed or cancelled."""
        self._gather()
        ticket = self._ticket
        ended = ticket is None or ticket.wait(timeout_s)
        self._gather()
        return ended

    def audio_from(self, sample: int, timeout_s: float) -> Samples:
        """Return the audio after the first `sample` samples. Wait at most `timeout_s` for some; empty if there is none."""
        self._gather()
        if self._made <= sample and (ticket := self._ticket) is not None:
            ticket.wait_unread(timeout_s)
            self._gather()
        with self._lock:
            return np.concatenate([np.empty(0, np.float32), *self._pieces])[sample:]

    def cancel(self) -> None:
        if (ticket := self._ticket) is not None:
            ticket.cancel()

    def result(self) -> "StoredTake":
        """Return the stored take. Raises the order's error if it failed or was stopped; after a full disk, call it again."""
        with self._lock:
            if self._stored is not None:
                return self._stored
            ticket = cast(Ticket, self._ticket)
            self._stored = self._keep(ticket.result())
            self._read(ticket)
            self._status, self._ticket = ticket.status(), None
            return self._stored

    def _gather(self) -> None:
        """Take the generated audio from the ticket, so that the scheduler never waits for a reader."""
        with self._lock:
            if self._ticket is not None:
                self._read(self._ticket)

    def _read(self, ticket: Ticket) -> None:
        while (chunk := ticket.read()) is not None:
            self._pieces.append(chunk.audio.samples)
            self._made += len(chunk.audio.samples)


def doubts(reference: Reference, *, of_clip: bool) -> list[str]:
    """Return warnings about the reference. The take is spoken anyway, because the measurements may be wrong.

    For a clip, the warnings are all failures of its report. A champion was checked when it was made, so only its speech rate is
    checked here.
    """
    if of_clip:
        source = Source(sample_rate=reference.audio.sample_rate)
        return failures(reference.audio, source, reference.transcript)
    rate = speech_rate(reference.audio, reference.transcript)
    return [rate.message] if rate.state == "fail" else []


class SpeechService:
    """Submits orders to the scheduler, and keeps live and stored takes."""

    def __init__(
        self,
        manager: Manager,
        session_clips: "SessionClips",
        history: "History",
        champions: "Champions",
        *,
        passages: Passages,
        directions: bool = True,
        kept: Callable[["StoredTake"], object] = lambda take: None,
        recorder: Recorder | None = None,
        submitted: Callable[[Ticket], object] = lambda ticket: None,
    ) -> None:
        """Treat stage directions as words if `directions` is False.

        Call `kept` with each take that was stored, and `submitted` with the ticket of each new request.
        """
        self.passages = passages
        self._manager, self._directions = manager, directions
        self._recorder = recorder or Recorder()
        self._session_clips = session_clips
        self._champions = champions
        self._history, self._kept, self._submitted = history, kept, submitted
        self._live_takes: OrderedDict[tuple[str, str], LiveTake] = OrderedDict()
        self._lock = threading.Lock()

    def speak(self, order: Order, *, session_id: str, arrived_at: float | None = None) -> LiveTake:
        """Submit an order whose take is kept. Raises EngineError if the order is refused; then nothing was queued.

        `arrived_at` is the arrival time of the order at the server, in seconds of time.monotonic().
        """
        order, ticket, warnings = self._submit(order, session_id, arrived_at)
        live = LiveTake(
            session_id,
            order,
            ticket,
            rate=lambda: self._manager.sample_rate(order.engine),
            keep=lambda take: self._keep(session_id, order, take),
            warnings=warnings,
        )
        self._remember(live)
        return live

    def speak_again(self, take: "StoredTake", within_s: float) -> "StoredTake | None":
        """Speak the order of a take with another seed, and return the stored take; None if time is up. Raises EngineError."""
        live = self.speak(replace(take.order, seed=None), session_id=take.session_id)
        if live.wait(within_s):
            return live.result()
        live.cancel()
        return None

    def _keep(self, session_id: str, order: Order, take: Take) -> "StoredTake":
        stored = self._history.add(session_id, order, take)
        self._kept(stored)
        return stored

    def say(
        self,
        order: Order,
        *,
        session_id: str,
        arrived_at: float | None = None,
        reference: Reference | None = None,
        performance: Audio | None = None,
        live: bool = True,
    ) -> Ticket:
        """Submit an order whose take is not kept. Raises EngineError.

        `reference` is a voice that came with the order, in place of a champion or a clip; `performance` is a recording that the
        voice speaks in place of the text. An order that is not `live` is not heard while it is generated, so it need not start
        early.
        """
        return self._submit(order, session_id, arrived_at, reference, performance, live)[1]

    def _submit(
        self,
        order: Order,
        session_id: str,
        arrived_at: float | None,
        sent: Reference | None = None,
        performance: Audio | None = None,
        live: bool = True,
    ) -> tuple[Order, Ticket, list[str]]:
        """Submit an order. Return the order as spoken, its ticket, and warnings for the designer."""
        with self._recorder.refusals(order.engine):
            if order.performance:
                performance = self._session_clips.get(session_id, order.performance).audio
            return self._accepted(order, session_id, arrived_at, sent, performance, live)

    def _accepted(
        self,
        order: Order,
        session_id: str,
        arrived_at: float | None,
        sent: Reference | None,
        performance: Audio | None,
        live: bool,
    ) -> tuple[Order, Ticket, list[str]]:
        order = replace(order, seed=secrets.randbelow(SEEDS) if order.seed is None else order.seed)
        status = self._manager.status(order.engine)
        text = order.text if self._directions else with_spoken_directions(order.text)
        order = replace(order, language=self._language(order, status.languages))
        if performance is None and (status.info is None or not text.strip()):
            parse(
                text, language=order.language or ENGLISH
            )  # refuse unspeakable text before it waits; a loaded engine parses the text in `submit`
        given, (order, request, ignored) = order, self._prepared(order, text, session_id, sent, live)
        foreign = "" if performance else languages.warning(status.title, status.languages, order.language or ENGLISH)
        warnings = [warning for warning in (ignored, foreign) if warning]
        spoken = () if performance or order.design else self.passages.of(text, order.engine, order.language)
        if spoken:
            turns, ignored_weights = self._turns(given, spoken, session_id, sent, live)
            warnings += ignored_weights
            ticket = Dialogue(request, turns).start(session_id, arrived_at)
        else:
            submit = self._submitter(order, session_id)
            ticket = submit(replace(request, performance=performance), arrived_at)
        warnings += self.passages.warnings(text, order.engine, order.language)
        ticket.warnings = tuple(dict.fromkeys(warnings))
        return order, ticket, list(ticket.warnings)

    def _prepared(
        self, order: Order, text: str, session_id: str, sent: Reference | None, live: bool
    ) -> tuple[Order, Request, str]:
        """Return the order with the champion's version, its request, and a warning; "" if there is none. Raises EngineError."""
        status = self._manager.status(order.engine)
        order, reference, weights = (order, sent, None) if sent else self._cast(order, session_id)
        taken = weights if status.fine_tunes else None
        request = _request(replace(order, text=text), self._with_language(reference, order.engine), taken, live)
        return order, request, "" if taken is weights else _ignored(status.title, order)

    def _turns(
        self, order: Order, spoken: Sequence[VoicePassage], session_id: str, sent: Reference | None, live: bool
    ) -> tuple[list[DialogueTurn], list[str]]:
        """Return the turns of a text with several voices or rates, and warnings about ignored weights. Raises EngineError."""
        warnings: list[str] = []
        turns = []
        for passage in spoken:
            # A text that cannot be spoken is refused before its first word.
            script = parse(passage.text, language=order.language or ENGLISH)
            mine = self.passages.order(order, passage)
            another = mine.champion != order.champion or mine.clip_id != order.clip_id
            reference = None if another else sent
            accepted, request, ignored = self._prepared(mine, passage.text, session_id, reference, live)
            voice = passage.voice if self.passages.knows(passage.voice, order.engine) else ""
            pauses = isinstance(script.parts[0], Pause), isinstance(script.parts[-1], Pause)
            turns.append(DialogueTurn(voice, script.typed, pauses, request, self._submitter(accepted, session_id)))
            warnings += [ignored] if ignored else []
        return turns, warnings

    def _submitter(self, order: Order, session_id: str) -> Submit:
        """Return a function that submits a request of this order and records it."""

        def submit(request: Request, arrived_at: float | None) -> Ticket:
            loaded = self._manager.status(order.engine).info is not None
            ticket = self._manager.submit(request, session_id=session_id, arrived_at=arrived_at)
            self._recorder.follow(ticket, champion=order.champion, loaded=loaded)
            self._submitted(ticket)
            return ticket

        return submit

    def reference(self, order: Order, session_id: str) -> Reference:
        """Return the reference that the engine gets for the order's voice. Raises EngineError if the voice cannot be used."""
        return self._with_language(self._cast(order, session_id)[1], order.engine)

    def voice_pace(self, order: Order, voice: str, session_id: str) -> VoicePace | None:
        """Return the pace of a voice that the text of an order names; None if it has no pace different from the order's."""
        mine = self.passages.order(order, VoicePassage(order.text, voice))
        if (mine.champion, mine.clip_id) == (order.champion, order.clip_id):
            return None
        try:
            reference = spoken_reference(self.reference(mine, session_id))
        except EngineError:
            return None  # the request for speech reports the error
        return VoicePace(reference, pace_in(mine.settings, self.passages.pace(order.engine)))

    def uses_reference(self, order: Order) -> bool:
        """Return True if only the voice of its reference speaks an order, and no voice of the checkpoint or of the text."""
        settings = self._manager.status(order.engine).settings
        named = any(self.passages.knows(voice, order.engine) for voice in self.passages.voices(order.text))
        return not named and not any(
            value and name in settings and settings[name].replaces_voice for name, value in order.settings.items()
        )

    def live(self, session_id: str, id: str) -> LiveTake:
        """Return a take of this session that is being generated, or was so recently. Raises UnknownLiveTake."""
        with self._lock:
            found = self._live_takes.get((session_id, id))
        if found is None:
            raise UnknownLiveTake("no take with this id is being generated; see the list of takes")
        return found

    def _cast(self, order: Order, session_id: str) -> tuple[Order, Reference, Weights | None]:
        """Return the order with the champion's version, the reference, and the weights of the voice if it has any."""
        if order.design:
            return replace(_without_clip(order), champion="", version="", attachment=""), NO_REFERENCE, None
        if order.champion:
            voice = self._champions.voice(order.champion, order.version, order.attachment)
            return replace(_without_clip(order), version=voice.version), voice.reference, voice.weights
        window = Window(order.start_s, order.end_s)
        return order, self._session_clips.reference(session_id, order.clip_id, window, order.transcript), None

    def _language(self, order: Order, spoken: Sequence[str]) -> str:
        """Return the stated language, or else the detected one; "" for detected English. `spoken` are the checkpoint's."""
        if order.language:
            return order.language
        usual = self._champions.voice(order.champion, order.version).language if order.champion else ""
        detected = languages.detect(without_directions(order.text), spoken, usual)
        return "" if languages.is_english(detected) else detected

    def _with_language(self, reference: Reference, engine: str) -> Reference:
        """Return the reference with the language of its transcript, stated or detected among the languages of the engine.

        An engine that the studio does not run any more counts as one that speaks only English.
        """
        if reference.language != ENGLISH:
            return reference
        by_engine = {status.name: status.languages for status in self._manager.statuses()}
        return replace(reference, language=languages.detect(reference.transcript, by_engine.get(engine, (ENGLISH,))))

    def _remember(self, live: LiveTake) -> None:
        with self._lock:
            self._live_takes[live.session_id, live.id] = live
            ended = [key for key, kept in self._live_takes.items() if kept.status().state not in ("queued", "running")]
            for key in ended[: max(0, len(self._live_takes) - KEPT_LIVE_TAKES)]:
                del self._live_takes[key]


def _without_clip(order: Order) -> Order:
    return replace(order, clip_id="", start_s=0.0, end_s=0.0, transcript="")


def _request(order: Order, reference: Reference, weights: Weights | None, live: bool) -> Request:
    return Request(
        text=order.text,
        reference=reference,
        seed=order.seed or 0,
        engine=order.engine,
        language=order.language or ENGLISH,
        weights=weights,
        settings=order.settings,
        live=live,
        design=read_design(order.design) if order.design else None,
    )


def _ignored(title: str, order: Order) -> str:
    others = " and ".join(spec.title for spec in specs() if spec.fine_tunes)
    return f"{title} uses the reference of {order.champion}, not the fine-tuned weights; these work only with {others}"
