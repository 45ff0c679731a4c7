"""All use cases of scripts. Routes, the page and the command line use only this module."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from studio.errors import NotFound
from studio.history import History
from studio.named_voices import NamedVoices
from studio.script.cast_check import check_cast
from studio.script.deliveries import Deliveries
from studio.script.delivery import preset_of
from studio.script.import_notes import import_notes
from studio.script.lexicon import LexiconPart, parts, place_of
from studio.script.lexicon import checked as checked_lexicon
from studio.script.namesakes import characters_of, namesakes
from studio.script.planning import Readings
from studio.script.pls import read_pls, write_pls
from studio.script.projects import Projects
from studio.script.render_choice import RenderChoice
from studio.script.render_queue import RenderStatus, UnknownRender
from studio.script.renderer import Renderer
from studio.script.rendering import RenderState
from studio.script.saved_presets import checked_presets
from studio.script.script import (
    Cast,
    Casting,
    DeliveryChoice,
    Project,
    Respelling,
    SavedPreset,
    Sheet,
    SheetForm,
    Table,
)
from studio.script.serializers import project_json, render_json, sheet_json
from studio.script.sheet_edit import SheetEdit, edited, overwritten
from studio.script.sheet_updates import SheetUpdates, UpdateChoice
from studio.script.tables import SheetFile, read_pasted, read_table, table_encodings, write_table
from studio.script.tables.columns import recognised

FILE_WINS = UpdateChoice()


class Scripts:
    """The use cases. Thread-safe."""

    def __init__(
        self,
        projects: Projects,
        renderer: Renderer,
        deliveries: Deliveries,
        history: History,
        voices: NamedVoices,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        *,
        directions: bool = True,
    ) -> None:
        """Treat stage directions as words if `directions` is False."""
        self._projects, self._history, self._voices, self._now = projects, history, voices, now
        self._directions = directions
        self.renderer, self.deliveries, self.updates = renderer, deliveries, SheetUpdates(projects, now)

    # Projects.

    def list(self) -> list[dict[str, Any]]:
        return [self.as_json(project) for project in self._projects.list()]

    def get(self, project_id: str) -> dict[str, Any]:
        """Return a project as JSON. Raises UnknownProject."""
        return self.as_json(self._projects.get(project_id))

    def create(self, name: str) -> dict[str, Any]:
        """Create a project. Raises BadInput, NotSaved."""
        return self.as_json(self._projects.create(name))

    def change(
        self,
        project_id: str,
        *,
        name: str | None = None,
        cast: Cast | None = None,
        delivery: DeliveryChoice | None = None,
        session_id: str = "",
    ) -> dict[str, Any]:
        """Change the given fields; `session_id` is the visitor whose clips the cast may name.

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
        return self.get(project_id)

    def set_presets(self, project_id: str, presets: Sequence[SavedPreset]) -> dict[str, Any]:
        """Save these delivery presets with the project. Raises UnknownProject, BadInput, BadSetting, NotSaved."""
        kept = tuple(checked_presets(presets))
        return self.as_json(self._projects.change(project_id, lambda project: replace(project, presets=kept)))

    def delete(self, project_id: str) -> None:
        """Hide a project; its render stops. Raises UnknownProject, NotSaved."""
        self._projects.delete(project_id)

    def restore(self, project_id: str) -> dict[str, Any]:
        """Undo a deletion. Raises UnknownProject, NotSaved."""
        return self.as_json(self._projects.restore(project_id))

    def purge(self, older_than_s: float) -> int:
        """Remove projects deleted longer ago than this, and delete their takes. Return the number of projects."""
        gone = self._projects.deleted(older_than_s)
        for project in gone:
            for take in self._history.list(project.session_id):
                self._history.delete(project.session_id, take.id)
            self._projects.forget(project.id)
        return len(gone)

    def set_lexicon(self, project_id: str, respellings: Sequence[Respelling]) -> dict[str, Any]:
        """Replace the lexicon. Raises UnknownProject, BadInput, NotSaved."""
        lexicon = tuple(checked_lexicon(respellings))
        return self.as_json(self._projects.change(project_id, lambda project: replace(project, lexicon=lexicon)))

    def lexicon_file(self, project_id: str) -> bytes:
        """Return the lexicon as PLS. Raises UnknownProject."""
        return write_pls(self._projects.get(project_id).lexicon)

    def import_lexicon(self, project_id: str, data: bytes) -> tuple[dict[str, Any], Sequence[str]]:
        """Add the words of a PLS file, replacing existing entries. Return the project, and notes on what could not be used.

        Raises UnknownProject, BadLexicon, NotSaved.
        """
        read = read_pls(data)
        new = {place_of(each): each for each in read.respellings}
        kept = [each for each in self._projects.get(project_id).lexicon if place_of(each) not in new]
        return self.set_lexicon(project_id, [*kept, *new.values()]), read.notes

    def respelled(self, project_id: str, text: str, voice: str) -> Sequence[LexiconPart]:
        """Return a text as this voice speaks it, in parts. Raises UnknownProject."""
        return parts(text, self._projects.get(project_id).lexicon, voice)

    def as_json(self, project: Project) -> dict[str, Any]:
        sheets = self._projects.sheets(project.id) if not project.deleted else []
        return project_json(project, sheets, self._render(project.id))

    def cast(self, project_id: str) -> Cast:
        """Return the cast of a project. Raises UnknownProject."""
        return self._projects.get(project_id).cast

    def namesakes(self, project_id: str) -> Mapping[str, str]:
        """Return the voice of the same name for each character without a voice. Raises UnknownProject."""
        cast, characters = self.cast(project_id), characters_of(self._projects.sheets(project_id))
        return namesakes(characters, cast, self._voices.list())

    # Sheets.

    def encodings(self, path: Path, name: str) -> Sequence[Mapping[str, Any]]:
        """Return the possible encodings of a sheet's file, most likely first. Raises BadSheet."""
        return [asdict(choice) for choice in table_encodings(path.read_bytes(), name)]

    def import_sheet(self, project_id: str, path: Path, name: str, encoding: str = "") -> dict[str, Any]:
        """Add a sheet; `notes` of the answer list what was left out and what cannot be used.

        Raises UnknownProject, UncertainEncoding, BadSheet, NotSaved.
        """
        return self._added(project_id, read_table(path.read_bytes(), name, encoding), name)

    def paste_sheet(self, project_id: str, text: str, name: str) -> dict[str, Any]:
        """Add a sheet from pasted cells. Raises UnknownProject, BadSheet, NotSaved."""
        return self._added(project_id, read_pasted(text), name)

    def put_sheet(self, project_id: str, path: Path, name: str, encoding: str = "") -> dict[str, Any]:
        """Add a sheet, or replace the sheet with this name; lines with equal ids keep their takes.

        Raises UnknownProject, UncertainEncoding, BadSheet, NotSaved.
        """
        table = read_table(path.read_bytes(), name, encoding)
        here = next((sheet for sheet in self._projects.sheets(project_id) if sheet.name == name), None)
        if here is None:
            return self._added(project_id, table, name)
        return self._put(project_id, here.id, table)

    def update_sheet(
        self, project_id: str, sheet_id: str, file: SheetFile, choice: UpdateChoice = FILE_WINS
    ) -> dict[str, Any]:
        """Replace a sheet by its changed file; matched lines keep their takes. `update` of the answer identifies the undo step.

        Raises UnknownSheet, UncertainEncoding, BadSheet, NotSaved, SheetChanged.
        """
        return self._put(project_id, sheet_id, file.table(), choice)

    def undo_update(self, project_id: str, sheet_id: str, update: str) -> dict[str, Any]:
        """Undo an update; `update` of the answer identifies the step that redoes it.

        Raises UnknownSheet, UnknownUpdate, SheetChanged, NotSaved.
        """
        undone = self.updates.undo(project_id, sheet_id, update)
        return self.sheet(project_id, sheet_id) | {"update": undone.revision}

    def sheet(self, project_id: str, sheet_id: str, since: int = 0, known: str = "") -> dict[str, Any]:
        """Return what changed in a sheet after revision `since`; everything if the cast is not `known`. Raises UnknownSheet."""
        project, sheet = self._projects.get(project_id), self._projects.sheet(project_id, sheet_id)
        answer = sheet_json(sheet, self._readings(project), self._render(project_id), since, known)
        return answer | {"desk": self._desk(project)}

    def edit(self, project_id: str, sheet_id: str, edit: SheetEdit) -> dict[str, Any]:
        """Edit a sheet. Return the changed lines, and as `overwritten` the values that the writer had not seen.

        Raises UnknownSheet, UnknownLine, BadInput, NotSaved.
        """
        at = self._now().isoformat(timespec="seconds")
        unseen: list[dict[str, Any]] = []

        def change(sheet: Sheet) -> Sheet:
            unseen.extend(asdict(cell) for cell in overwritten(sheet, edit))
            return edited(sheet, edit, at)

        before = self._projects.sheet(project_id, sheet_id).revision
        self._projects.change_sheet(project_id, sheet_id, change)
        readings = self._readings(self._projects.get(project_id))
        return self.sheet(project_id, sheet_id, since=before, known=readings.digest) | {"overwritten": unseen}

    def remove_sheet(self, project_id: str, sheet_id: str) -> dict[str, Any]:
        """Remove a sheet from its project. Raises UnknownSheet, NotSaved."""
        return self.as_json(self._projects.remove_sheet(project_id, sheet_id))

    def restore_sheet(self, project_id: str, sheet_id: str) -> dict[str, Any]:
        """Put a removed sheet back. Raises UnknownSheet, NotSaved."""
        return self.as_json(self._projects.restore_sheet(project_id, sheet_id))

    def sheet_file(self, project_id: str, sheet_id: str, form: SheetForm | None = None) -> tuple[str, bytes]:
        """Return name and content of the edited sheet as a file, in its original form or in `form`."""
        sheet = self._projects.sheet(project_id, sheet_id)
        rows = tuple(line.cells for line in sheet.lines if not line.deleted)
        table = Table(columns=sheet.columns, rows=rows, form=form or sheet.form)
        name = f"{Path(sheet.name).stem}.{table.form.kind}"
        return name, write_table(table, neutral=form is not None)

    def take_path(self, project_id: str, take_id: str) -> Path:
        """Return the float32 WAV file of a take. Raises UnknownTake."""
        return self._history.audio_path(self._projects.get(project_id).session_id, take_id)

    # Rendering.

    def render(self, project_id: str, choice: RenderChoice) -> RenderStatus:
        """Start a render. Raises UnknownSheet, UnknownLine, BadInput, NotSaved."""
        return self.renderer.begin(project_id, choice)

    def renders(self) -> Sequence[dict[str, Any]]:
        """Return every render that runs or is paused, with the names of its project and sheet."""
        found = []
        for id in self.renderer.running():
            with suppress(NotFound):  # removed meanwhile
                status = self.renderer.status(id)
                sheet = self._projects.sheet(id, status.render.sheet)
                names = {"project": id, "project_name": self._projects.get(id).name, "sheet_name": sheet.name}
                found.append(render_json(status) | names)
        return found

    def enter(self, project_id: str, state: RenderState) -> RenderStatus:
        """Pause, resume or stop the render of a project. Raises UnknownRender, NotSaved."""
        return self.renderer.enter(project_id, state)

    # Shared code.

    def _added(self, project_id: str, table: Table, name: str) -> dict[str, Any]:
        named = " ".join(Path(name).name.split())[:120] or f"sheet.{table.form.kind}"
        sheet = self._projects.add_sheet(project_id, named, table, recognised(table.columns, table.rows))
        self._cast_namesakes(project_id, sheet)
        return self._brought(project_id, sheet, table)

    def _put(self, project_id: str, sheet_id: str, table: Table, choice: UpdateChoice = FILE_WINS) -> dict[str, Any]:
        put = self.updates.apply(project_id, sheet_id, table, choice)
        self._cast_namesakes(project_id, put)
        return self._brought(project_id, put, table) | {"update": put.revision}

    def _brought(self, project_id: str, sheet: Sheet, table: Table) -> dict[str, Any]:
        """Return a newly imported sheet, with notes on its file and its lines."""
        notes = {"notes": list(import_notes(table, sheet)), "file_notes": list(table.notes)}
        return self.sheet(project_id, sheet.id) | notes | {"encoding": table.form.encoding}

    def _cast_namesakes(self, project_id: str, sheet: Sheet) -> None:
        """Cast each character without a voice with the champion, or the sample, of its name."""
        characters, voices = characters_of([sheet]), self._voices.list()

        def change(project: Project) -> Project:
            found = namesakes(characters, project.cast, voices)
            return replace(
                project, cast={**project.cast, **{who: {"": (Casting(voice=id),)} for who, id in found.items()}}
            )

        self._projects.change(project_id, change)

    def _render(self, project_id: str) -> RenderStatus | None:
        try:
            return self.renderer.status(project_id)
        except UnknownRender:
            return None

    def _desk(self, project: Project) -> str:
        """Return a digest of what a page shows around a sheet: projects, and this project's sheets, cast and lexicon."""
        projects = [(each.id, each.name, each.sheets) for each in self._projects.list()]
        names = [sheet.name for sheet in self._projects.sheets(project.id)]
        return hashlib.sha256(repr((projects, names, project.cast, project.lexicon)).encode()).hexdigest()[:16]

    def _readings(self, project: Project) -> Readings:
        return Readings(project, self._voices, directions=self._directions)
