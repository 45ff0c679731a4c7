"""Replace stale selects by new takes."""

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from studio.progress import ProgressReporter
from studio.script.format.script import Project
from studio.script.planning import Readings
from studio.script.projects import Projects
from studio.script.render_choice import RenderChoice
from studio.script.render_waiting import render_and_wait
from studio.script.renderer import Renderer
from studio.script.selects import Select, selects_of
from studio.script.sheet_edit import MarkEdit, SheetEdit, edited


class Reselector:
    """Renders the sheets of deliveries and selects new takes. Thread-safe."""

    def __init__(
        self,
        projects: Projects,
        renderer: Renderer,
        readings: Callable[[Project], Readings],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._projects, self._renderer, self._readings, self._now = projects, renderer, readings, now

    def __call__(self, project_id: str, sheet_id: str, report: ProgressReporter, stop: threading.Event) -> None:
        """Make the takes that are needed to replace stale selects, and select the best new take of each line.

        A line whose take cannot be made keeps its stale select. Raises UnknownSheet, BadInput, Closing, NotSaved, Cancelled.
        """
        lacking = [select.line.key for select in self._stale(project_id, sheet_id) if select.renewed is None]
        if lacking:
            choice = RenderChoice(sheet=sheet_id, lines=lacking)
            render_and_wait(self._renderer, project_id, choice, report, stop)
        renewed = [(select.line.key, select.renewed) for select in self._stale(project_id, sheet_id)]
        marks = [MarkEdit(line=key, take=take.id, mark="select") for key, take in renewed if take is not None]
        at = self._now().isoformat(timespec="seconds")
        self._projects.change_sheet(project_id, sheet_id, lambda sheet: edited(sheet, SheetEdit(marks=marks), at))

    def _stale(self, project_id: str, sheet_id: str) -> Sequence[Select]:
        project, sheet = self._projects.get(project_id), self._projects.sheet(project_id, sheet_id)
        return [select for select in selects_of(sheet, self._readings(project)) if select.why]
