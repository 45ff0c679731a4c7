"""Speak a text with several voices or rates. Each passage is a separate request; one ticket collects the audio of all."""

import contextvars
import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from engines.errors import Cancelled, EngineError, EngineFailed, QueueFull
from engines.scheduling.ticket import Position, Ticket
from engines.types import Audio, Request, Segment, Take

log = logging.getLogger(__name__)

CHANGE_S = 0.25  # silence between two voices
LOOK_S = 0.1  # longest wait for audio before the state of the request is read again


Submit = Callable[[Request, float | None], Ticket]  # of a request and its arrival time; raises EngineError


@dataclass(frozen=True, slots=True)
class DialogueTurn:
    """A passage and the request that speaks it."""

    voice: str  # as named in the text; "" = the voice of the whole text
    words: str  # without directions
    pauses: tuple[bool, bool]  # True if it begins with a pause, and if it ends with one
    request: Request
    submit: Submit

    def needs_gap_after(self, other: "DialogueTurn") -> bool:
        """Return True if another voice spoke before, and the text has no pause between the two."""
        if self.voice == other.voice or other.pauses[1] or self.pauses[0]:
            return False
        return self.request.reference.digest != other.request.reference.digest


class Dialogue:
    """Speaks turns one after another; the next turn is submitted while one is spoken."""

    def __init__(
        self, request: Request, turns: Sequence[DialogueTurn], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Speak these turns of the text of `request`. `clock` is the scheduler's."""
        self._request, self._turns, self._clock = request, turns, clock
        self._submitted: list[Ticket] = []
        self._cancelled = threading.Event()
        self._current = 0  # place of the turn that is spoken

    def start(self, session_id: str, arrived_at: float | None) -> Ticket:
        """Submit the first turn, and return the ticket of the whole text. Raises EngineError."""
        first = self._submit(0, arrived_at)
        ticket = Ticket(first.id, self._request, session_id, first.arrived_at, first.deadline)
        ticket.attach(lambda _: self._cancel(), lambda: None, lambda _: self._position())
        context = contextvars.copy_context()  # telemetry records the origin of the request with each turn
        threading.Thread(target=context.run, args=(self._run, ticket), name="dialogue", daemon=True).start()
        return ticket

    def _submit(self, place: int, arrived_at: float | None = None) -> Ticket:
        turn = self._turns[place]
        submitted = turn.submit(turn.request, arrived_at)
        self._submitted.append(submitted)
        if self._cancelled.is_set():
            submitted.cancel()
        return submitted

    def _cancel(self) -> None:
        self._cancelled.set()
        for ticket in list(self._submitted):
            ticket.cancel()

    def _position(self) -> Position:
        """Return the position of the turn that is spoken. The time to the end is known only in the last turn."""
        status = self._submitted[min(self._current, len(self._submitted) - 1)].status()
        return status.rank, status.eta_s if self._current == len(self._turns) - 1 else None

    def _run(self, ticket: Ticket) -> None:
        try:
            self._speak(ticket)
        except EngineError as error:
            self._cancel()
            ticket.fail(error)
        except Exception as error:  # the reader must not wait for ever
            log.exception("a text of several voices failed")
            self._cancel()
            ticket.fail(EngineFailed(f"the text could not be spoken: {error}"))

    def _speak(self, ticket: Ticket) -> None:
        takes: list[Take] = []
        segments: list[Segment] = []
        length_s = 0.0
        for place, turn in enumerate(self._turns):
            self._current = place
            if place and turn.needs_gap_after(self._turns[place - 1]):
                length_s += self._add(ticket, _silence(takes[-1].audio.sample_rate))
            take = self._spoken(ticket, place)
            takes.append(take)
            end_s = length_s + take.audio.duration_s
            segments.append(Segment(turn.voice, turn.words, length_s, end_s))
            length_s = end_s
        notes = tuple(dict.fromkeys(note for take in takes for note in take.notes))
        ticket.finish(self._clock(), takes[0].checkpoint, notes, segments=tuple(segments))

    def _spoken(self, ticket: Ticket, place: int) -> Take:
        """Speak a turn: pass its audio on until it ends, and submit the next turn after its first audio."""
        mine = self._waited(place)
        characters = sum(len(turn.request.text) for turn in self._turns)
        before = sum(len(turn.request.text) for turn in self._turns[:place])
        charged = 0.0
        while True:
            ended = mine.ended
            if mine.state == "running" and ticket.state == "queued":
                ticket.admit(mine.admitted_at)
            while (chunk := mine.read(0 if ended else LOOK_S)) is not None:
                self._add(ticket, chunk.audio)
            ticket.advance((before + mine.progress * len(self._turns[place].request.text)) / characters)
            ticket.charge(mine.compute_s - charged)
            charged = mine.compute_s
            if ended:
                return mine.result()
            if mine.has_audio and len(self._submitted) == place + 1 < len(self._turns):
                with suppress(QueueFull):  # then it is submitted when this turn has ended
                    self._submit(place + 1)

    def _waited(self, place: int) -> Ticket:
        """Return the ticket of a turn. While the queue is full, wait as long as a request may. Raises EngineError."""
        first = self._submitted[0]
        due = self._clock() + first.deadline - first.arrived_at
        while len(self._submitted) <= place:
            try:
                self._submit(place)
            except QueueFull:
                if self._clock() > due:
                    raise
                if self._cancelled.wait(LOOK_S):
                    raise Cancelled("cancelled") from None
        return self._submitted[place]

    def _add(self, ticket: Ticket, audio: Audio) -> float:
        ticket.add_audio(audio, self._clock())
        return audio.duration_s


def _silence(sample_rate: int) -> Audio:
    return Audio(np.zeros(round(CHANGE_S * sample_rate), np.float32), sample_rate)
