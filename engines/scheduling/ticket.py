"""A submitted request as its reader sees it: status, audio in parts, cancel, result."""

import logging
import threading
from collections.abc import Callable

import numpy as np

from engines.errors import Cancelled, EngineError, NotReady
from engines.types import Audio, Chunk, Cost, Request, Segment, Status, Take, TicketState

log = logging.getLogger(__name__)

UNREAD_MAX_S = 30.0  # unread audio above which the ticket's row pauses
LEAD_MIN_S = 0.2  # seconds of unheard audio below which a live request is urgent
Position = tuple[int, float | None]  # rank and ETA in seconds; rank 1 is admitted next, rank 0 is running or has ended


class Ticket:
    """The state of one request. The scheduler writes the state, and any thread may read. Times use the scheduler's clock.

    After the end of the request, nothing changes.
    """

    def __init__(self, id: str, request: Request, session_id: str, arrived_at: float, deadline: float) -> None:
        self.id = id
        self.request = request
        self.session_id = session_id
        self.arrived_at = arrived_at
        self.deadline = deadline
        self.prepared: object = None  # the result of `Engine.prepare`; None until it is known
        self.admitted_at = 0.0
        self.turn_s = 0.0  # device seconds since the last admission; a paused request is admitted again
        self.paused = False  # True while the ticket waits for another turn and the engine keeps its job
        self.compute_s = 0.0
        self.error: EngineError | None = None
        self.warnings: tuple[str, ...] = ()  # sentences for the designer, known before the first audio
        self._state: TicketState = "queued"
        self._progress = 0.0
        self._first_audio_at = 0.0
        self._chunks: list[Chunk] = []
        self._read_count = 0
        self._audio_s = 0.0  # of all chunks
        self._read_s = 0.0  # of the chunks that were read
        self._take: Take | None = None
        self._changed = threading.Condition()
        self._listeners: list[Callable[[], None]] = []
        self._on_cancel: Callable[[Ticket], None] = lambda ticket: None
        self._on_read: Callable[[], None] = lambda: None
        self._position: Callable[[Ticket], Position] = lambda ticket: (0, None)

    def attach(
        self,
        on_cancel: Callable[["Ticket"], None],
        on_read: Callable[[], None],
        position: Callable[["Ticket"], Position],
    ) -> None:
        """Connect the ticket to the scheduler that accepted it."""
        self._on_cancel, self._on_read, self._position = on_cancel, on_read, position

    # Readers call the methods below, from any thread.

    @property
    def state(self) -> TicketState:
        """Queued, running, done, failed or cancelled."""
        return self._state

    @property
    def progress(self) -> float:
        """Progress, 0 to 1."""
        return self._progress

    @property
    def ended(self) -> bool:
        """Return True if the request is done, failed or cancelled."""
        return self._state in ("done", "failed", "cancelled")

    @property
    def first_audio_s(self) -> float | None:
        """Seconds from arrival to the first audio; None before the first audio."""
        return self._first_audio_at - self.arrived_at if self._chunks else None

    def status(self, position: Position | None = None) -> Status:
        """Return state, rank, progress and ETA; `position` saves a lookup if it is known."""
        rank, eta_s = (0, None) if self.ended else position or self._position(self)
        return Status(self._state, rank, self._progress, eta_s)

    def read(self, timeout_s: float = 0.0) -> Chunk | None:
        """Return the next chunk in playing order; None if no chunk arrives within the timeout or all were read."""
        self.wait_unread(timeout_s)
        with self._changed:
            if self._read_count == len(self._chunks):
                return None
            chunk = self._chunks[self._read_count]
            self._read_count += 1
            self._read_s += chunk.audio.duration_s
        self._on_read()
        return chunk

    def wait_unread(self, timeout_s: float) -> None:
        """Wait until there is a chunk to `read`, the request has ended, or the timeout has passed."""
        with self._changed:
            self._changed.wait_for(lambda: self._read_count < len(self._chunks) or self.ended, timeout_s)

    def wait(self, timeout_s: float) -> bool:
        """Wait for the end of the request; return False if the timeout passed first."""
        with self._changed:
            return self._changed.wait_for(lambda: self.ended, timeout_s)

    def listen(self, listener: Callable[[], None]) -> None:
        """Call `listener` after every change, on the thread that makes the change. A listener must be quick and never block."""
        self._listeners.append(listener)

    def cancel(self) -> None:
        """Stop the request within one step; do nothing if it has ended."""
        self._on_cancel(self)

    def result(self) -> Take:
        """Return the take. Raises the request's error if it failed or was cancelled, NotReady if it still runs."""
        if self.error is not None:
            raise self.error
        if self._take is None:
            raise NotReady("the take is not ready; wait for its end")
        return self._take

    # The scheduler's thread calls the methods below. The supervisor calls `fail` if this thread hangs.

    @property
    def buffer_full(self) -> bool:
        """Return True if too much audio is unread; the row then pauses."""
        return self._audio_s - self._read_s > UNREAD_MAX_S

    def lead_s(self, now: float) -> float:
        """Return the seconds of audio that are not heard yet, if playback began with the first audio; 0 without audio."""
        return self._audio_s - (now - self._first_audio_at) if self._chunks else 0.0

    def is_urgent(self, now: float) -> bool:
        """Return True if the request is live and has less than `LEAD_MIN_S` of unheard audio."""
        return self.request.live and self.lead_s(now) < LEAD_MIN_S

    def admit(self, at: float) -> None:
        """Mark the ticket as running from the time `at` on."""
        with self._changed:
            if self.ended:
                return
            if not self.paused:
                self.admitted_at = at
            self.turn_s, self.paused, self._state = 0.0, False, "running"
            self._notify()

    def pause(self) -> None:
        """Mark the ticket as waiting for its next turn; it keeps its progress."""
        with self._changed:
            if self.ended:
                return
            self.paused, self._state = True, "queued"
            self._notify()

    def requeue(self) -> None:
        """Mark the ticket as waiting again, with its progress reset."""
        with self._changed:
            if self.ended:
                return
            self._state, self._progress = "queued", 0.0
            self._notify()

    def charge(self, seconds: float) -> None:
        """Count device time of the request."""
        self.compute_s += seconds
        self.turn_s += seconds

    def advance(self, fraction: float) -> None:
        """Raise the progress to `fraction`; never lower it."""
        self._progress = max(self._progress, min(fraction, 1.0))

    def add_audio(self, audio: Audio, at: float) -> bool:
        """Append audio; return True if it is the first."""
        with self._changed:
            if self.ended:
                return False
            first = not self._chunks
            if first:
                self._first_audio_at = at
            self._chunks.append(Chunk(len(self._chunks), audio))
            self._audio_s += audio.duration_s
            self._notify()
        return first

    @property
    def has_audio(self) -> bool:
        """Return True if the request has audio."""
        return bool(self._chunks)

    def finish(
        self,
        at: float,
        checkpoint: str,
        notes: tuple[str, ...] = (),
        voice_codes: tuple[int, ...] = (),
        segments: tuple[Segment, ...] = (),
    ) -> Take:
        """End the request with a take of all its audio. Raises NotReady if there is none."""
        audio = join([chunk.audio for chunk in self._chunks])
        cost = Cost(
            queued_s=self.admitted_at - self.arrived_at,
            ttfa_s=self._first_audio_at - self.arrived_at,
            total_s=at - self.arrived_at,
            compute_s=self.compute_s,
            audio_s=audio.duration_s,
        )
        take = Take(self.request, audio, cost, checkpoint, notes, voice_codes, segments)
        with self._changed:
            self._take, self._state, self._progress = take, "done", 1.0
            self._notify()
        return take

    def _notify(self) -> None:
        self._changed.notify_all()
        for listener in self._listeners:
            try:
                listener()
            except Exception:  # an error of a listener must not affect the scheduler
                log.exception("a listener of a request failed")

    def fail(self, error: EngineError) -> None:
        """End the request with an error, which `result` raises; do nothing if it has ended."""
        with self._changed:
            if self.ended:
                return
            self.error = error
            self._state = "cancelled" if isinstance(error, Cancelled) else "failed"
            self._notify()


def join(pieces: list[Audio]) -> Audio:
    """Concatenate audio of one sample rate. Raises NotReady for an empty list."""
    if not pieces:
        raise NotReady("no audio was generated; use another text")
    return Audio(np.concatenate([piece.samples for piece in pieces]), pieces[0].sample_rate)
