"""Takes of lines: stored in the history, added to their line, and checked."""

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC
from typing import Protocol

from engines.audio import peaks
from engines.types import Audio, Take
from studio.errors import NotFound, NotStored
from studio.history import History, StoredTake
from studio.script.checks.expected_take import Checked
from studio.script.editing import LineChange, change_lines, with_checked, with_take
from studio.script.format.script import LineTake, TakeCheck
from studio.script.projects import Projects
from studio.script.render_search import TakeJob
from studio.script.rendering import PlannedTake
from studio.script.stretching import spoken_s

log = logging.getLogger(__name__)

PEAKS = 40
CHECKS_AT_ONCE = 8  # maximum number of takes that are checked at the same time
UNCHECKED = TakeCheck(
    name="checks", outcome="unmeasured", message="the studio could not check this take; listen to the take"
)


class CheckTake(Protocol):
    """Checks a take within seconds, without the engines. Raises nothing for unusual audio."""

    def __call__(self, piece: PlannedTake, audio: Audio) -> Checked: ...


class LineTakes:
    """Stores and checks takes. One thread calls the methods.

    The checks run in other threads, which read the audio and call `when_checked`.
    """

    def __init__(
        self, projects: Projects, history: History, check_take: CheckTake, when_checked: Callable[[], None]
    ) -> None:
        self._projects, self._history, self._check_take, self._when_checked = (
            projects,
            history,
            check_take,
            when_checked,
        )
        self._checks: dict[str, Future[None]] = {}  # by take id
        self._threads = ThreadPoolExecutor(CHECKS_AT_ONCE, "take-check")

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def keep(self, due: TakeJob, take: Take) -> None:
        """Store a take that was made for a line."""
        order = replace(due.piece.reading.order, settings=take.request.settings, seed=due.piece.seed)
        stored = self._history.add(due.project.session_id, order, take, due.take_id)
        self._give(due, stored, take.audio)

    def adopt(self, due: TakeJob, stored: StoredTake) -> None:
        """Add a take of the history to its line. This is needed if a process was killed before it added the take."""
        self._give(due, stored, self._history.audio(due.project.session_id, stored.id))

    def check(self, unchecked: Iterable[tuple[TakeJob, LineTake]]) -> None:
        """Check takes that no thread is checking, such as takes of a killed process. Raises NotStored."""
        ended = [check for check in self._checks.values() if check.done()]
        self._checks = {id: check for id, check in self._checks.items() if not check.done()}
        for check in ended:
            if isinstance(error := check.exception(), NotStored):
                raise error
        for due, take in unchecked:
            if take.id not in self._checks:
                self._check(due, take)

    def _give(self, due: TakeJob, stored: StoredTake, audio: Audio) -> None:
        reading = due.piece.reading
        take = LineTake(
            id=stored.id,
            number=0,
            voice=reading.voice,
            engine=stored.engine,
            text=reading.order.text,
            language=reading.order.language,
            written=reading.written,
            settings=dict(reading.order.settings),
            limit=reading.limit,
            version=reading.order.version,
            made_from=reading.digest,
            seed=due.piece.seed,
            duration_s=stored.duration_s,
            speech_s=round(spoken_s(audio), 3),
            edges_s=reading.edges_s,
            peaks=tuple(peaks(audio.samples, PEAKS)),
            segments=tuple(stored.segments),
        )
        at = stored.created_at.astimezone(UTC).isoformat(timespec="seconds")
        self._change(due, with_take(take, at))
        self._check(due, take)

    def _check(self, due: TakeJob, take: LineTake) -> None:
        self._checks[take.id] = check = self._threads.submit(self._checked, due, take)
        check.add_done_callback(lambda check: self._when_checked())

    def _checked(self, due: TakeJob, take: LineTake) -> None:
        """Check a take. Runs in a thread for checks."""
        try:
            stored = self._history.get(due.project.session_id, take.id)
            found = self._check_take(due.piece, self._history.audio(due.project.session_id, take.id))
            noted = tuple(TakeCheck(name="ending", outcome="doubt", message=note) for note in stored.notes)
            self._change(due, with_checked(replace(take, checks=(*noted, *found.checks), score=found.score)))
        except NotStored as error:
            log.warning("the checks of a take were not saved and run again later: %s", error)
            raise
        except Exception:
            log.exception("a take could not be checked")
            self._change(due, with_checked(replace(take, checks=(UNCHECKED,), score=0.0)))

    def _change(self, due: TakeJob, change: LineChange) -> None:
        with suppress(NotFound):  # the line, the sheet or the project was removed meanwhile
            self._projects.change_sheet(
                due.project.id, due.sheet_id, lambda sheet: change_lines(sheet, {due.piece.line: change})
            )
