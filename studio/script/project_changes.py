"""Changes to projects: creation, names, casts, delivery presets, deletion."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from studio.history import History
from studio.named_voices import NamedVoices
from studio.script.cast_check import check_cast
from studio.script.delivery import preset_of
from studio.script.format.script import Cast, DeliveryChoice, SavedPreset
from studio.script.projects import Projects
from studio.script.render_choice import check_best_of
from studio.script.saved_presets import checked_presets
from studio.script.views import ScriptViews


class ProjectChanges:
    """Changes projects. Thread-safe. Methods that change a project return the project as JSON."""

    def __init__(self, projects: Projects, views: ScriptViews, history: History, voices: NamedVoices) -> None:
        self._projects, self._views, self._history, self._voices = projects, views, history, voices

    def create(self, name: str) -> dict[str, Any]:
        """Create a project. Raises BadInput, NotSaved."""
        return self._views.as_json(self._projects.create(name))

    def change(
        self,
        project_id: str,
        *,
        name: str | None = None,
        cast: Cast | None = None,
        delivery: DeliveryChoice | None = None,
        best_of: int | None = None,
        session_id: str = "",
    ) -> dict[str, Any]:
        """Change the given fields. `session_id` is the session whose clips the cast may use.

        Raises UnknownProject, BadInput, BadSetting, NotSaved, and errors of voices that cannot be used.
        """
        if name is not None:
            self._projects.rename(project_id, name)
        if cast is not None:
            check_cast(cast, self._voices, self._projects.get(project_id), session_id)
            self._projects.change(project_id, lambda project: replace(project, cast=cast))
        if delivery is not None:
            preset_of(delivery.preset, delivery.choices)
            self._projects.change(project_id, lambda project: replace(project, delivery=delivery))
        if best_of is not None:
            check_best_of(best_of)
            self._projects.change(project_id, lambda project: replace(project, best_of=best_of))
        return self._views.project(project_id)

    def set_presets(self, project_id: str, presets: Sequence[SavedPreset]) -> dict[str, Any]:
        """Save these delivery presets with the project. Raises UnknownProject, BadInput, BadSetting, NotSaved."""
        kept = tuple(checked_presets(presets))
        return self._views.as_json(self._projects.change(project_id, lambda project: replace(project, presets=kept)))

    def delete(self, project_id: str) -> None:
        """Hide a project; its render stops. Raises UnknownProject, NotSaved."""
        self._projects.delete(project_id)

    def restore(self, project_id: str) -> dict[str, Any]:
        """Undo a deletion. Raises UnknownProject, NotSaved."""
        return self._views.as_json(self._projects.restore(project_id))

    def purge(self, older_than_s: float) -> int:
        """Remove projects that were deleted longer ago than this, with their takes. Return the number of projects."""
        gone = self._projects.deleted(older_than_s)
        for project in gone:
            for take in self._history.list(project.session_id):
                self._history.delete(project.session_id, take.id)
            self._projects.forget(project.id)
        return len(gone)

    def cast(self, project_id: str) -> Cast:
        """Return the cast of a project. Raises UnknownProject."""
        return self._projects.get(project_id).cast
