"""The queue of all running renders: which takes are next, and how far each render is."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from engines.errors import BadInput, EngineError
from studio.database import NotSaved, saving
from studio.errors import NotFound
from studio.files import atomic_write
from studio.named_voices import NamedVoices
from studio.script.editing import find, touched
from studio.script.failures import Failures
from studio.script.planning import LineReading, Readings, fresh, take_id
from studio.script.projects import Projects
from studio.script.render_choice import RenderChoice, asked_for
from studio.script.rendering import PlannedTake, Render, RenderState, due, outstanding
from studio.script.script import LineTake, Project, ScriptLine, Sheet

log = logging.getLogger(__name__)

DOCUMENT = "render.json"  # in the project's folder
RENDER = TypeAdapter(Render)


class UnknownRender(NotFound):
    """The project has no render."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderStatus:
    """A render and its progress in lines and seconds."""

    render: Render
    failures: Mapping[str, str]  # by line; only failures whose cause still exists
    done: int
    total: int
    eta_s: float | None
    making: Sequence[str] = ()  # keys of lines that are being spoken


@dataclass(frozen=True, slots=True)
class TakeJob:
    """A take to be made, with its project and sheet."""

    project: Project
    sheet_id: str
    piece: PlannedTake

    @property
    def take_id(self) -> str:
        return take_id(self.project, self.piece.line, self.piece.reading.digest, self.piece.seed)


@dataclass(slots=True, eq=False)
class Remaining:
    """The unfinished lines of a render in the sheet's order, and the number of takes made since the render last started."""

    keys: deque[str]
    since: float
    made: int = 0
    stopped: int = 0  # lines that a stop left unfinished


class RenderQueue:
    """The renders of all projects. Thread-safe."""

    def __init__(
        self,
        projects: Projects,
        voices: NamedVoices,
        clock: Callable[[], float] = time.monotonic,
        *,
        directions: bool = True,
    ) -> None:
        """Treat stage directions as words if `directions` is False."""
        self._projects, self._voices, self._clock, self._directions = projects, voices, clock, directions
        self._failures = Failures(projects, self._readings)
        self._lock = threading.RLock()
        self._renders: dict[str, Render] = {}
        self._remaining: dict[str, Remaining] = {}
        for project in projects.list():
            if (render := _read(projects.folder(project.id) / DOCUMENT)) is not None:
                self._renders[project.id] = render
                self._count(project.id)

    def begin(self, project_id: str, choice: RenderChoice) -> RenderStatus:
        """Start a render. Raises UnknownProject, UnknownSheet, UnknownLine, BadInput, NotSaved."""
        project, sheet = self._projects.get(project_id), self._projects.sheet(project_id, choice.sheet)
        wanted, failures = asked_for(sheet, choice, self._readings(project))
        with self._lock:
            if self.runs(project_id):
                raise BadInput(
                    "a render of this project is already running; stop the render, or wait until the render ends"
                )
            situations = self._failures.situations(project_id, sheet.id, failures)
            render = Render(
                sheet=sheet.id, lines=wanted, budget=choice.budget, failures=failures, situations=situations
            )
            before = self._renders.get(project_id)
            self._save(project_id, render)
            self._count(project_id)
            self._touch(project_id, render.sheet, failures)
            if before is not None:
                self._touch(project_id, before.sheet, before.failures)
        return self.status(project_id)

    def runs(self, project_id: str) -> bool:
        return project_id in self._renders and self._renders[project_id].state in ("running", "paused")

    def status(self, project_id: str) -> RenderStatus:
        """Return the status of a project's render. Raises UnknownRender."""
        with self._lock:
            render = self._render(project_id)
            left, total = self._remaining[project_id], len(render.lines)
            eta_s = None
            if left.made and render.state == "running":
                takes = sum(len(each) for line in render.lines for each in line.varieties.values())
                eta_s = (self._clock() - left.since) / left.made * takes / total * len(left.keys)
            done, failures = total - max(len(left.keys), left.stopped), self._failures.standing(project_id, render)
            return RenderStatus(render=render, failures=failures, done=done, total=total, eta_s=eta_s)

    def advances(self, project_id: str) -> bool:
        """Return True if the project exists and has a render that runs and is not paused."""
        with suppress(NotFound):
            return self._render(project_id).state == "running"
        return False

    def running(self) -> Sequence[str]:
        """Return the ids of the projects whose render runs or is paused."""
        with self._lock:
            present = {project.id for project in self._projects.list()}
            return [id for id in self._renders if id in present and self.runs(id)]

    def enter(self, project_id: str, state: RenderState) -> RenderStatus:
        """Pause, resume or stop a render. Raises UnknownRender, NotSaved."""
        with self._lock:
            render = self._render(project_id)
            if render.state in ("running", "paused") and render.state != state:
                self._save(project_id, replace(render, state=state, trouble=""))
                unfinished = len(self._remaining[project_id].keys)
                self._count(project_id)
                self._remaining[project_id].stopped = unfinished if state == "stopped" else 0
            return self.status(project_id)

    def pause_all(self, trouble: str) -> None:
        """Pause all running renders and save the reason. If saving fails, the pause lasts until the studio ends."""
        with self._lock:
            for project_id, render in self._renders.items():
                if render.state == "running":
                    self._renders[project_id] = replace(render, state="paused", trouble=trouble)
            for project_id, render in list(self._renders.items()):
                if render.trouble:
                    with suppress(NotSaved, NotFound):
                        self._save(project_id, render)

    def next(self, under_way: Callable[[TakeJob], bool]) -> TakeJob | None:
        """Return the next due take that is not under way, from the oldest render; None if there is none now."""
        with self._lock:
            for project_id, render in list(self._renders.items()):
                if render.state == "running" and (piece := self._next_of(project_id, under_way)) is not None:
                    return piece
            return None

    def unjudged(self, *, settled: bool = False) -> Iterator[tuple[TakeJob, LineTake]]:
        """Yield the takes that are not checked since the last start: those of unfinished lines, or with `settled` all."""
        with self._lock:
            for project_id, render in self._renders.items():
                if settled or render.state == "running":
                    keys = [each.key for each in render.lines] if settled else list(self._remaining[project_id].keys)
                    with suppress(NotFound):
                        yield from self._unjudged_of(project_id, render.sheet, keys)

    def _unjudged_of(self, project_id: str, sheet_id: str, keys: Sequence[str]) -> Iterator[tuple[TakeJob, LineTake]]:
        project, sheet = self._projects.get(project_id), self._projects.sheet(project_id, sheet_id)
        readings = self._readings(project)
        for key in keys:
            line = find(sheet, key)
            for reading in _readable(readings, sheet, line):
                for take in fresh(line, [reading]):
                    if take.score is None:
                        yield TakeJob(project, sheet.id, PlannedTake(line=key, reading=reading, seed=take.seed)), take

    def fail(self, due_piece: TakeJob, error: EngineError) -> None:
        """Record that a take cannot be made; its line is left out."""
        self._fail(due_piece.project.id, {due_piece.piece.line: str(error)})

    def count_compute(self, project_id: str, compute_s: float) -> None:
        """Add the compute time of a request, before its take is known."""
        with self._lock:
            render = self._renders[project_id]
            self._renders[project_id] = replace(render, compute_s=render.compute_s + compute_s)

    def count_take(self, project_id: str, audio_s: float) -> None:
        """Count a stored take."""
        with self._lock:
            self._remaining[project_id].made += 1
            render = self._renders[project_id]
            self._save(project_id, replace(render, audio_s=render.audio_s + audio_s))

    def _next_of(self, project_id: str, under_way: Callable[[TakeJob], bool]) -> TakeJob | None:
        render, left = self._renders[project_id], self._remaining[project_id]
        try:
            project, sheet = self._projects.get(project_id), self._projects.sheet(project_id, render.sheet)
        except NotFound:  # deleted; a restored sheet needs a new render
            self._save(project_id, replace(render, state="stopped"))
            self._count(project_id)
            return None
        wanted = {each.key: each for each in render.lines}
        readings = self._readings(project)
        failures: dict[str, str] = {}
        try:
            for key in list(left.keys):
                try:
                    line = find(sheet, key)
                    spoken = [] if line.deleted else readings.of(sheet, line)
                except EngineError as error:
                    failures[key] = str(error)
                    continue
                if not outstanding(wanted[key], line, spoken, render.budget):
                    left.keys.remove(key)
                for piece in due(wanted[key], line, spoken, render.budget):
                    found = TakeJob(project, sheet.id, piece)
                    if not under_way(found):
                        return found
        finally:
            self._fail(project_id, failures)
        if not left.keys:
            self._save(project_id, replace(self._renders[project_id], state="done"))
        return None

    def _fail(self, project_id: str, failures: Mapping[str, str]) -> None:
        if not failures:
            return
        with self._lock:
            render, left = self._renders[project_id], self._remaining[project_id]
            left.keys = deque(key for key in left.keys if key not in failures)
            situations = {**render.situations, **self._failures.situations(project_id, render.sheet, failures)}
            failed = replace(render, failures={**render.failures, **failures}, situations=situations)
            self._save(project_id, failed)
            self._touch(project_id, render.sheet, failures)

    def _touch(self, project_id: str, sheet_id: str, keys: Iterable[str]) -> None:
        """Mark lines as changed, so that clients fetch their new failures."""
        with suppress(NotFound):  # the sheet was removed meanwhile
            self._projects.change_sheet(project_id, sheet_id, lambda sheet: touched(sheet, keys))

    def _count(self, project_id: str) -> None:
        render = self._renders[project_id]
        keys = deque(each.key for each in render.lines if each.key not in render.failures)
        if render.state not in ("running", "paused"):
            keys.clear()
        self._remaining[project_id] = Remaining(keys, self._clock())

    def _readings(self, project: Project) -> Readings:
        return Readings(project, self._voices, directions=self._directions)

    def _render(self, project_id: str) -> Render:
        self._projects.get(project_id)
        if project_id not in self._renders:
            raise UnknownRender("this project has no render yet; choose lines and start a render")
        return self._renders[project_id]

    def _save(self, project_id: str, render: Render) -> None:
        with saving(), atomic_write(self._projects.folder(project_id) / DOCUMENT) as file:
            file.write(RENDER.dump_json(render))
        self._renders[project_id] = render


def _readable(readings: Readings, sheet: Sheet, line: ScriptLine) -> Sequence[LineReading]:
    """Return the readings of a line; none if its voice cannot be used."""
    try:
        return readings.of(sheet, line)
    except EngineError:
        return ()


def _read(path: Path) -> Render | None:
    try:
        return RENDER.validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        log.warning("%s cannot be read and is left as it is: %s", path, error)
        return None
