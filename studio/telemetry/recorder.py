"""Write a record of each ended request.

To save time, the scheduler's thread only appends the figures of an ended request to a queue. `collect` makes the records, and
the telemetry thread saves the records.
"""

import logging
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from engines.errors import EngineError, NotReady, QueueFull, UnknownEngine
from engines.scheduling.ticket import Ticket
from engines.types import EngineInfo
from studio.telemetry.answer_times import AnswerTimes, current_answer
from studio.telemetry.origin import RequestOrigin, current, request_id
from studio.telemetry.record_files import RecordFiles
from studio.telemetry.records import Outcome, RequestRecord, kind_of, outcome_of

log = logging.getLogger(__name__)

KEPT_MAX = 10_000  # records in memory
QUEUE_MAX = 5_000  # limit of ended requests without a record, and of records that wait for the disk
RETRIED = (QueueFull, NotReady)  # a render tries again every second until it is accepted


@dataclass(frozen=True, slots=True)
class Started:
    """The facts about a request that are known at its start."""

    origin: RequestOrigin
    engine: str
    champion: str
    language: str
    loaded: bool
    answer: AnswerTimes | None = None  # None if the sending is not measured, for example for requests of the page
    number: int = 0  # position of the request in the answer, from 1; 0 without an answer


@dataclass(frozen=True, slots=True)
class Ended:
    """The facts about a request at its end."""

    started: Started
    at: float
    outcome: Outcome
    error: EngineError | None
    figures: Mapping[str, float | None]


class Recorder:
    """Follows requests and keeps their records. Thread-safe."""

    def __init__(
        self,
        info: Callable[[str], EngineInfo | None] = lambda engine: None,
        data_dir: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        """Prepare to record. `info` returns the facts about an engine, None if it is not loaded; raises UnknownEngine.

        Without `data_dir`, records are not saved.
        """
        self._info, self._clock, self._wall_clock = info, clock, wall_clock
        self._files = RecordFiles(data_dir) if data_dir else None
        self._listeners: list[Callable[[RequestRecord], None]] = []
        self._open: dict[str, Started] = {}  # requests in the scheduler, by the id of the ticket
        self._ended: deque[Ended] = deque(maxlen=QUEUE_MAX)
        self._unsaved: deque[RequestRecord] = deque(maxlen=QUEUE_MAX)
        self._kept: deque[RequestRecord] = deque(maxlen=KEPT_MAX)
        self._failing = False  # True while the disk does not accept records
        self._lock = threading.Lock()

    def listen(self, listener: Callable[[RequestRecord], None]) -> None:
        """Call `listener` with each new record, on the thread that calls `collect`. Records of earlier runs are not passed."""
        self._listeners.append(listener)

    def follow(self, ticket: Ticket, *, champion: str, loaded: bool) -> None:
        """Record the request of a ticket at its end. `loaded` is True if its engine was loaded when the request arrived."""
        answer, request = current_answer(), ticket.request
        number = answer.add_request() if answer else 0
        self._open[ticket.id] = Started(current(), request.engine, champion, request.language, loaded, answer, number)
        followed = weakref.ref(ticket)  # a strong reference would be a cycle and keep the audio in memory

        def note_end() -> None:
            if (seen := followed()) is not None and seen.ended:
                self._end(seen)

        ticket.listen(note_end)
        note_end()  # the ticket may have ended before it had a listener

    def refuse(self, engine: str, error: EngineError) -> None:
        """Record a request that was refused before the scheduler accepted it."""
        started = Started(current(), engine, "", "", False)
        if not (started.origin.door == "script" and isinstance(error, RETRIED)):
            self._ended.append(Ended(started, self._wall_clock(), "refused", error, {"total_s": 0.0}))

    @contextmanager
    def refusals(self, engine: str) -> Iterator[None]:
        """Record the error of the block as a refusal, and raise it again."""
        try:
            yield
        except EngineError as error:
            self.refuse(engine, error)
            raise

    def collect(self) -> None:
        """Make the records of ended requests."""
        with self._lock:
            while self._ended:
                record = self._record(self._ended.popleft())
                self._kept.append(record)
                self._unsaved.append(record)
                for listener in self._listeners:
                    listener(record)

    def recent(self) -> Sequence[RequestRecord]:
        """Return the newest records, oldest first, also those of earlier runs."""
        self.collect()
        with self._lock:
            return list(self._kept)

    def load(self) -> None:
        """Read the records of earlier runs. The telemetry thread calls this once, before `save`."""
        if self._files is None:
            return
        try:
            earlier = self._files.read()
        except OSError as error:
            log.warning("the records of earlier requests cannot be read: %s", error)
            return
        with self._lock:
            self._kept = deque([*earlier, *self._kept], KEPT_MAX)

    def save(self) -> None:
        """Write new records to the disk. Only one thread may call this. Records wait in memory while the disk is full."""
        self.collect()
        while self._files is not None and self._unsaved:
            record = self._unsaved.popleft()
            try:
                self._files.append(record)
            except OSError as error:
                self._unsaved.appendleft(record)
                if not self._failing:
                    log.warning("the records of requests cannot be saved: %s; trying again", error)
                self._failing = True
                return
            self._failing = False

    def close(self) -> None:
        """Save the last records."""
        self.save()
        if self._files is not None:
            self._files.close()

    def _end(self, ticket: Ticket) -> None:
        """Note the end of a ticket once, on the thread that ended the ticket.

        If the sending of the answer is measured, the record of a finished request waits until the answer is sent.
        """
        started = self._open.pop(ticket.id, None)
        if started is None:
            return
        at, error = self._wall_clock(), ticket.error
        ended = Ended(started, at, outcome_of(error), error, self._figures(ticket))
        if started.answer is None or error is not None:
            self._ended.append(ended)
        else:
            live, arrived_at = ticket.request.live, ticket.arrived_at
            started.answer.listen(lambda: self._ended.append(_with_send_times(ended, arrived_at, live)))

    def _figures(self, ticket: Ticket) -> Mapping[str, float | None]:
        admitted_at, arrived_at = ticket.admitted_at, ticket.arrived_at
        cost = None if ticket.error else ticket.result().cost
        return {
            "total_s": cost.total_s if cost else self._clock() - arrived_at,
            "inference_s": cost.total_s - cost.queued_s if cost else None,
            "wait_s": admitted_at - arrived_at if admitted_at else None,
            "first_audio_s": ticket.first_audio_s,
            "compute_s": ticket.compute_s if admitted_at else None,
            "audio_s": cost.audio_s if cost else None,
        }

    def _record(self, ended: Ended) -> RequestRecord:
        started = ended.started
        engine, backend = self._engine_and_backends(started.engine)
        return RequestRecord(
            request_id=started.origin.request_id or request_id(),
            door=started.origin.door,
            at=ended.at,
            engine=engine,
            backend=backend,
            champion=started.champion,
            language=started.language,
            loaded=started.loaded,
            outcome=ended.outcome,
            error=kind_of(ended.error),
            **ended.figures,  # type: ignore[arg-type]
        )

    def _engine_and_backends(self, engine: str) -> tuple[str, str]:
        """Return the engine and its backends; both empty for an unknown engine."""
        try:
            info = self._info(engine)
        except UnknownEngine:
            return "", ""
        return engine, "; ".join(f"{one.computation}: {one.backend}" for one in info.backends) if info else ""


def _with_send_times(ended: Ended, arrived_at: float, live: bool) -> Ended:
    """Return the facts about a finished request, extended by the times at which the answer was sent.

    The first request of the answer gets the time of the first part, if it is live. The last one gets the time of the last part.
    """
    answer, figures = ended.started.answer, dict(ended.figures)
    if answer is None or answer.first_at is None or answer.last_at is None:
        return ended
    total_s, first_audio_s = figures["total_s"] or 0.0, figures["first_audio_s"]
    if live and ended.started.number == 1 and first_audio_s is not None:
        figures["first_audio_s"] = max(first_audio_s, answer.first_at - arrived_at)
    if ended.started.number == answer.requests:
        figures["total_s"] = max(total_s, answer.last_at - arrived_at)
    return replace(ended, at=ended.at + (figures["total_s"] or 0.0) - total_s, figures=figures)
