"""The queue of all running renders. It decides which take is made next."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from engines.errors import BadInput, EngineError
from studio.disk.database import NotSaved
from studio.errors import NotFound
from studio.script.editing import touched
from studio.script.failures import Failures
from studio.script.format.script import LineTake, Project
from studio.script.planning import Readings
from studio.script.projects import Projects
from studio.script.render_additions import Addition, extended
from studio.script.render_choice import RenderChoice, asked_for
from studio.script.render_documents import read_render, write_render
from studio.script.render_progress import ActiveClock, Progressed, Remaining, RenderStatus, eta_s
from studio.script.render_search import RenderSearch, TakeJob
from studio.script.rendering import Render, RenderState


class UnknownRender(NotFound):
    """The project has no render."""


class RenderQueue:
    """The renders of all projects. Thread-safe."""

    def __init__(
        self,
        projects: Projects,
        readings: Callable[[Project], Readings],
        clock: ActiveClock | None = None,
    ) -> None:
        """Open the renders of all projects."""
        self._projects, self._readings, self._clock = projects, readings, clock or ActiveClock()
        self._failures = Failures(projects, readings)
        self._lock = threading.RLock()
        self._renders: dict[str, Render] = {}
        self._remaining: dict[str, Remaining] = {}
        for project in projects.list():
            if (render := read_render(projects.folder(project.id))) is not None:
                self._renders[project.id] = render
                self._update_remaining(project.id)

    def begin(self, project_id: str, choice: RenderChoice) -> RenderStatus:
        """Start a render, or add chosen lines to the running render of the same sheet.

        Raises UnknownProject, UnknownSheet, UnknownLine, BadInput, NotSaved.
        """
        project, sheet = self._projects.get(project_id), self._projects.sheet(project_id, choice.sheet)
        choice = choice.of(project)
        wanted, failures = asked_for(sheet, choice, self._readings(project))
        with self._lock:
            if self.runs(project_id):
                self._add(project_id, choice, Addition(wanted=wanted, failures=failures, again=choice.again))
                return self.status(project_id)
            situations = self._failures.situations(project_id, sheet.id, failures)
            render = Render(
                sheet=sheet.id, lines=wanted, budget=choice.retries, failures=failures, situations=situations
            )
            before = self._renders.get(project_id)
            self._save(project_id, render)
            self._update_remaining(project_id)
            self._touch(project_id, render.sheet, failures)
            if before is not None:
                self._touch(project_id, before.sheet, before.failures)
        return self.status(project_id)

    def _add(self, project_id: str, choice: RenderChoice, addition: Addition) -> None:
        """Add lines to the front of a render. Raises BadInput, NotSaved."""
        render, left = self._renders[project_id], self._remaining[project_id]
        if choice.lines is None or choice.sheet != render.sheet:
            raise BadInput(
                "a render of this project is already running; stop the render, or wait until the render ends"
            )
        added = extended(render, set(left.keys), addition)
        situations = self._failures.situations(project_id, render.sheet, added.failures)
        self._save(
            project_id,
            replace(added, budget=max(render.budget, choice.retries), situations={**situations, **render.situations}),
        )
        keys = [each.key for each in addition.wanted if each.key not in addition.failures]
        left.keys = deque([*keys, *(key for key in left.keys if key not in keys)])
        self._touch(project_id, render.sheet, [each.key for each in addition.wanted])

    def runs(self, project_id: str) -> bool:
        return project_id in self._renders and self._renders[project_id].state in ("running", "paused")

    def status(self, project_id: str) -> RenderStatus:
        """Return the status of a project's render. Raises UnknownRender."""
        with self._lock:
            render = self._render(project_id)
            left, runs = self._remaining[project_id], render.state == "running"
            failures = self._failures.standing(project_id, render)
            return RenderStatus(
                render=render,
                failures=failures,
                causes=self._failures.causes(project_id, render.sheet, failures),
                progress=Progressed.of(render),
                checking=left.checking,
                waits=runs and self._clock.is_held,
                eta_s=eta_s(render, left, self._clock.now()) if runs and not self._clock.is_held else None,
            )

    def hold(self, is_held: bool) -> None:
        """Record whether the renders wait for other requests. Estimates leave this time out."""
        with self._lock:
            self._clock.hold(is_held)

    def advances(self, project_id: str) -> bool:
        """Return True if the project exists and its render is running, not paused."""
        with suppress(NotFound):
            return self._render(project_id).state == "running"
        return False

    def running(self) -> Sequence[str]:
        """Return the ids of the projects whose render is running or paused."""
        with self._lock:
            present = {project.id for project in self._projects.list()}
            return [id for id in self._renders if id in present and self.runs(id)]

    def enter(self, project_id: str, state: RenderState) -> RenderStatus:
        """Pause, resume or stop a render. Raises UnknownRender, NotSaved."""
        with self._lock:
            render = self._render(project_id)
            if render.state in ("running", "paused") and render.state != state:
                self._save(project_id, replace(render, state=state, trouble=""))
                self._update_remaining(project_id)
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
        """Return the next due take of the oldest render; None if no take is due. Takes that are under way are skipped."""
        with self._lock:
            for project_id, render in list(self._renders.items()):
                if render.state == "running" and (piece := self._next_of(project_id, under_way)) is not None:
                    return piece
            return None

    def unchecked(self, *, everything: bool = False) -> Iterator[tuple[TakeJob, LineTake]]:
        """Yield unchecked takes: of unfinished lines of running renders, or of all lines if `everything`."""
        with self._lock:
            for project_id, render in self._renders.items():
                if everything or render.state == "running":
                    keys = [each.key for each in render.lines] if everything else list(self._remaining[project_id].keys)
                    with suppress(NotFound):
                        yield from self._search(project_id, render).unchecked(keys)

    def fail(self, due_piece: TakeJob, error: EngineError) -> None:
        """Record that a take cannot be made. The render leaves its line out."""
        self._fail(due_piece.project.id, {due_piece.piece.line: str(error)})

    def count_compute(self, project_id: str, compute_s: float) -> None:
        """Add the compute time of a request, before the take is finished."""
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
            search = self._search(project_id, render)
        except NotFound:  # the project or sheet was deleted; a restored sheet needs a new render
            self._save(project_id, replace(render, state="stopped"))
            self._update_remaining(project_id)
            return None
        try:
            found = search.next(render, left.keys, under_way)
        finally:
            finished = (*self._renders[project_id].finished, *search.finished)
            self._renders[project_id] = replace(self._renders[project_id], finished=finished)
            left.checking = len(search.checking)
            self._fail(project_id, search.failures)
        if found is None and not left.keys:
            self._save(project_id, replace(self._renders[project_id], state="done"))
        return found

    def _search(self, project_id: str, render: Render) -> RenderSearch:
        """Return a search in the sheet of a render. Raises UnknownProject, UnknownSheet."""
        project, sheet = self._projects.get(project_id), self._projects.sheet(project_id, render.sheet)
        return RenderSearch(project, sheet, self._readings(project))

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

    def _update_remaining(self, project_id: str) -> None:
        self._remaining[project_id] = Remaining.of(self._renders[project_id], self._clock.now())

    def _render(self, project_id: str) -> Render:
        self._projects.get(project_id)
        if project_id not in self._renders:
            raise UnknownRender("this project has no render yet; choose lines and start a render")
        return self._renders[project_id]

    def _save(self, project_id: str, render: Render) -> None:
        write_render(self._projects.folder(project_id), render)
        self._renders[project_id] = render
