"""The failures of a render that still apply. A failure disappears when its cause is gone."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from studio.errors import NotFound
from studio.script.failure_causes import causes
from studio.script.format.script import Project, cell
from studio.script.planning import Readings, situation
from studio.script.projects import Projects
from studio.script.rendering import Render


class Failures:
    """Finds the failures that still apply: those of lines in the same situation as when they failed."""

    def __init__(self, projects: Projects, readings: Callable[[Project], Readings]) -> None:
        self._projects, self._readings = projects, readings

    def situations(self, project_id: str, sheet_id: str, keys: Iterable[str]) -> Mapping[str, str]:
        """Return the present situation of each of these lines that exists and has a text."""
        wanted = set(keys)
        if not wanted:
            return {}
        try:
            project, sheet = self._projects.get(project_id), self._projects.sheet(project_id, sheet_id)
        except NotFound:
            return {}
        readings = self._readings(project)
        lines = (line for line in sheet.lines if line.key in wanted and not line.deleted)
        return {line.key: situation(readings, sheet, line) for line in lines if cell(sheet, line, "text")}

    def causes(self, project_id: str, sheet_id: str, failures: Mapping[str, str]) -> Sequence[str]:
        """Return the causes of these failures, each with its number of lines."""
        if not failures:
            return ()
        try:
            project, sheet = self._projects.get(project_id), self._projects.sheet(project_id, sheet_id)
        except NotFound:
            return ()
        return causes(sheet, self._readings(project), failures)

    def standing(self, project_id: str, render: Render) -> Mapping[str, str]:
        """Return the failures whose cause still exists. Renders of older studios keep all their failures."""
        now = self.situations(project_id, render.sheet, render.failures)
        return {
            key: message
            for key, message in render.failures.items()
            if key in now and now[key] == render.situations.get(key, now[key])
        }
