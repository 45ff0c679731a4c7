"""Read-only JSON of projects, sheets and renders, for routes and pages."""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from studio.errors import NotFound
from studio.script.format.script import Project
from studio.script.planning import Readings
from studio.script.projects import Projects
from studio.script.render_progress import RenderStatus
from studio.script.render_queue import UnknownRender
from studio.script.renderer import Renderer
from studio.script.serializers import project_json, render_json, sheet_json


class ScriptViews:
    """Reads the present state of scripts. Thread-safe."""

    def __init__(self, projects: Projects, renderer: Renderer, readings: Callable[[Project], Readings]) -> None:
        self._projects, self._renderer, self._readings = projects, renderer, readings

    def projects(self) -> list[dict[str, Any]]:
        """Return all projects as JSON."""
        return [self.as_json(project) for project in self._projects.list()]

    def project(self, project_id: str) -> dict[str, Any]:
        """Return a project as JSON. Raises UnknownProject."""
        return self.as_json(self._projects.get(project_id))

    def as_json(self, project: Project) -> dict[str, Any]:
        """Return a project with its sheets and its render."""
        sheets = self._projects.sheets(project.id) if not project.deleted else []
        return project_json(project, sheets, self._render(project.id))

    def sheet(self, project_id: str, sheet_id: str, since: int = 0, known: str = "") -> dict[str, Any]:
        """Return the changes of a sheet since revision `since`, or everything if the cast has changed. Raises UnknownSheet."""
        project, sheet = self._projects.get(project_id), self._projects.sheet(project_id, sheet_id)
        answer = sheet_json(sheet, self._readings(project), self._render(project_id), since, known)
        return answer | {"project_digest": self._project_digest(project)}

    def readings(self, project_id: str) -> Readings:
        """Return the readings of the project's lines. Raises UnknownProject."""
        return self._readings(self._projects.get(project_id))

    def changes(self, project_id: str, sheet_id: str, since: int) -> dict[str, Any]:
        """Return the lines that changed after revision `since`. Raises UnknownSheet."""
        known = self.readings(project_id).digest(self._projects.sheet(project_id, sheet_id))
        return self.sheet(project_id, sheet_id, since, known)

    def renders(self) -> Sequence[dict[str, Any]]:
        """Return every render that is running or paused, with the names of its project and sheet."""
        found = []
        for id in self._renderer.running():
            with suppress(NotFound):  # the project was removed meanwhile
                status = self._renderer.status(id)
                sheet = self._projects.sheet(id, status.render.sheet)
                names = {"project": id, "project_name": self._projects.get(id).name, "sheet_name": sheet.name}
                found.append(render_json(status) | names)
        return found

    def session_id(self, project_id: str) -> str:
        """Return the id of the session in which the history stores the project's takes. Raises UnknownProject."""
        return self._projects.get(project_id).session_id

    def _render(self, project_id: str) -> RenderStatus | None:
        try:
            return self._renderer.status(project_id)
        except UnknownRender:
            return None

    def _project_digest(self, project: Project) -> str:
        """Return a digest of the list of projects, and of the sheets, cast and lexicon of this project."""
        projects = [(each.id, each.name, each.sheets) for each in self._projects.list()]
        names = [sheet.name for sheet in self._projects.sheets(project.id)]
        return hashlib.sha256(repr((projects, names, project.cast, project.lexicon)).encode()).hexdigest()[:16]
