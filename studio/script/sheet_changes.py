"""Changes to sheets in the studio: edits of lines, removal, restoration."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from studio.script.format.script import Sheet
from studio.script.projects import Projects
from studio.script.sheet_edit import SheetEdit, edited, overwritten
from studio.script.views import ScriptViews


class SheetChanges:
    """Changes sheets. Thread-safe."""

    def __init__(self, projects: Projects, views: ScriptViews, now: Callable[[], datetime]) -> None:
        self._projects, self._views, self._now = projects, views, now

    def edit(self, project_id: str, sheet_id: str, edit: SheetEdit) -> dict[str, Any]:
        """Edit a sheet. Return the changed lines, and as `overwritten` the values that the writer did not know.

        Raises UnknownSheet, UnknownLine, BadInput, NotSaved.
        """
        at = self._now().isoformat(timespec="seconds")
        unseen: list[dict[str, Any]] = []

        def change(sheet: Sheet) -> Sheet:
            unseen.extend(asdict(cell) for cell in overwritten(sheet, edit))
            return edited(sheet, edit, at)

        before = self._projects.sheet(project_id, sheet_id).revision
        self._projects.change_sheet(project_id, sheet_id, change)
        return self._views.changes(project_id, sheet_id, since=before) | {"overwritten": unseen}

    def remove(self, project_id: str, sheet_id: str) -> dict[str, Any]:
        """Remove a sheet from its project, and return the project as JSON. Raises UnknownSheet, NotSaved."""
        return self._views.as_json(self._projects.remove_sheet(project_id, sheet_id))

    def restore(self, project_id: str, sheet_id: str) -> dict[str, Any]:
        """Put a removed sheet back, and return the project as JSON. Raises UnknownSheet, NotSaved."""
        return self._views.as_json(self._projects.restore_sheet(project_id, sheet_id))
