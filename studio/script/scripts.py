"""The use cases of scripts, all in one place: routes, the page and the shell call nothing behind it."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engines.errors import BadInput
from studio.errors import NotFound
from studio.history import History
from studio.named_voices import NamedVoices
from studio.script.deliveries import Deliveries
from studio.script.delivery import preset_of
from studio.script.disclosure import project_json, render_json, sheet_json
from studio.script.editing import TableChanges, table_changes, with_table
from studio.script.import_notes import import_notes
from studio.script.lexicon import LexiconPart, parts, place_of
from studio.script.lexicon import checked as checked_lexicon
from studio.script.planning import Readings
from studio.script.pls import read_pls, write_pls
from studio.script.projects import Projects
from studio.script.render_choice import RenderChoice
from studio.script.render_queue import RenderStatus, UnknownRender
from studio.script.renderer import Renderer
from studio.script.rendering import RenderState
from studio.script.script import Cast, Casting, DeliveryChoice, Project, Respelling, Role, Sheet, SheetForm, Table, cell
from studio.script.sheet_edit import SheetEdit, edited, overwritten
from studio.script.tables import read_pasted, read_table, table_encodings, write_table
from studio.script.tables.columns import recognised

CASTINGS_MAX = 16  # voices of one character in one emotion


class Scripts:
    """Any number of threads may call it."""

    def __init__(
        self,
        projects: Projects,
        renderer: Renderer,
        deliveries: Deliveries,
        history: History,
        voices: NamedVoices,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._projects, self._history, self._voices, self._now = projects, history, voices, now
        self.renderer, self.deliveries = renderer, deliveries

    # Projects.

    def list(self) -> list[dict[str, Any]]:
        return [self.as_json(project) for project in self._projects.list()]

    def get(self, project_id: str) -> dict[str, Any]:
        """Raises UnknownProject."""
        return self.as_json(self._projects.get(project_id))

    def create(self, name: str) -> dict[str, Any]:
        """Raises BadInput, NotSaved."""
        return self.as_json(self._projects.create(name))

    def change(
        self,
        project_id: str,
        *,
        name: str | None = None,
        cast: Cast | None = None,
        delivery: DeliveryChoice | None = None,
    ) -> dict[str, Any]:
        """Raises UnknownProject, BadInput, BadSetting, NotSaved, and what keeps a voice of the cast from being used."""
        if name is not None:
            self._projects.rename(project_id, name)
        if cast is not None:
            self._check_cast(cast)
            self._projects.change(project_id, lambda project: replace(project, cast=cast))
        if delivery is not None:
            preset_of(delivery.preset, delivery.choices)
            self._projects.change(project_id, lambda project: replace(project, delivery=delivery))
        return self.get(project_id)

    def delete(self, project_id: str) -> None:
        """Hide a project; what renders stops. Raises UnknownProject, NotSaved."""
        self._projects.delete(project_id)

    def restore(self, project_id: str) -> dict[str, Any]:
        """Raises UnknownProject, NotSaved."""
        return self.as_json(self._projects.restore(project_id))

    def purge(self, older_than_s: float) -> int:
        """Remove projects deleted longer ago than this, and delete their takes; returns how many went."""
        gone = self._projects.deleted(older_than_s)
        for project in gone:
            for take in self._history.list(project.session_id):
                self._history.delete(project.session_id, take.id)
            self._projects.forget(project.id)
        return len(gone)

    def set_lexicon(self, project_id: str, respellings: Sequence[Respelling]) -> dict[str, Any]:
        """Raises UnknownProject, BadInput, NotSaved."""
        lexicon = tuple(checked_lexicon(respellings))
        return self.as_json(self._projects.change(project_id, lambda project: replace(project, lexicon=lexicon)))

    def lexicon_file(self, project_id: str) -> bytes:
        """The lexicon as PLS. Raises UnknownProject."""
        return write_pls(self._projects.get(project_id).lexicon)

    def import_lexicon(self, project_id: str, data: bytes) -> tuple[dict[str, Any], Sequence[str]]:
        """The project with a PLS file's words added, in place of those it had; what of the file could not be used.

        Raises UnknownProject, BadLexicon, NotSaved.
        """
        read = read_pls(data)
        new = {place_of(each): each for each in read.respellings}
        kept = [each for each in self._projects.get(project_id).lexicon if place_of(each) not in new]
        return self.set_lexicon(project_id, [*kept, *new.values()]), read.notes

    def respelled(self, project_id: str, text: str, voice: str) -> Sequence[LexiconPart]:
        """A text as this voice is to speak it. Raises UnknownProject."""
        return parts(text, self._projects.get(project_id).lexicon, voice)

    def as_json(self, project: Project) -> dict[str, Any]:
        sheets = self._projects.sheets(project.id) if not project.deleted else []
        return project_json(project, sheets, self._render(project.id))

    def cast(self, project_id: str) -> Cast:
        """Who speaks whom. Raises UnknownProject."""
        return self._projects.get(project_id).cast

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
        """Raises UnknownProject, BadSheet, NotSaved."""
        return self._added(project_id, read_pasted(text), name)

    def put_sheet(self, project_id: str, path: Path, name: str, encoding: str = "") -> dict[str, Any]:
        """Add a sheet, or replace the sheet of this name; lines with the same id keep their takes.

        Raises UnknownProject, UncertainEncoding, BadSheet, NotSaved.
        """
        table = read_table(path.read_bytes(), name, encoding)
        here = next((sheet for sheet in self._projects.sheets(project_id) if sheet.name == name), None)
        if here is None:
            return self._added(project_id, table, name)
        return self._put(project_id, here.id, table)

    def update_sheet(self, project_id: str, sheet_id: str, path: Path, name: str, encoding: str = "") -> dict[str, Any]:
        """Replace a sheet by its file; lines with the same id keep their takes.

        Raises UnknownSheet, UncertainEncoding, BadSheet, NotSaved.
        """
        return self._put(project_id, sheet_id, read_table(path.read_bytes(), name, encoding))

    def table_changes(self, project_id: str, sheet_id: str, path: Path, name: str, encoding: str = "") -> TableChanges:
        """Return the changes that `update_sheet` would make. Raises UnknownSheet, UncertainEncoding, BadSheet."""
        sheet = self._projects.sheet(project_id, sheet_id)
        table = read_table(path.read_bytes(), name, encoding)
        return table_changes(sheet, table, _roles(sheet, table))

    def sheet(self, project_id: str, sheet_id: str, since: int = 0, known: str = "") -> dict[str, Any]:
        """What changed of it after revision `since`, everything where the cast is not `known`. Raises UnknownSheet."""
        project, sheet = self._projects.get(project_id), self._projects.sheet(project_id, sheet_id)
        told = sheet_json(sheet, self._readings(project), self._render(project_id), since, known)
        return told | {"desk": self._desk(project)}

    def edit(self, project_id: str, sheet_id: str, edit: SheetEdit) -> dict[str, Any]:
        """The lines that it changed; as `overwritten` what its writer had not seen and took the place of.

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
        """Raises UnknownSheet, NotSaved."""
        return self.as_json(self._projects.remove_sheet(project_id, sheet_id))

    def restore_sheet(self, project_id: str, sheet_id: str) -> dict[str, Any]:
        """Raises UnknownSheet, NotSaved."""
        return self.as_json(self._projects.restore_sheet(project_id, sheet_id))

    def sheet_file(self, project_id: str, sheet_id: str, form: SheetForm | None = None) -> tuple[str, bytes]:
        """Name and content of the sheet as a file, with its edits; in the form it came in unless another is asked for."""
        sheet = self._projects.sheet(project_id, sheet_id)
        rows = tuple(line.cells for line in sheet.lines if not line.deleted)
        table = Table(columns=sheet.columns, rows=rows, form=form or sheet.form)
        name = f"{Path(sheet.name).stem}.{table.form.kind}"
        return name, write_table(table, neutral=form is not None)

    def take_path(self, project_id: str, take_id: str) -> Path:
        """The sound of a take, float32 WAV. Raises UnknownTake."""
        return self._history.audio_path(self._projects.get(project_id).session_id, take_id)

    # Rendering.

    def render(self, project_id: str, choice: RenderChoice) -> RenderStatus:
        """Raises UnknownSheet, UnknownLine, BadInput, NotSaved."""
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
        """Pause, resume or stop what renders. Raises UnknownRender, NotSaved."""
        return self.renderer.enter(project_id, state)

    # What is shared.

    def _added(self, project_id: str, table: Table, name: str) -> dict[str, Any]:
        named = " ".join(Path(name).name.split())[:120] or f"sheet.{table.form.kind}"
        roles = recognised(table.columns, table.rows)
        sheet = self._projects.add_sheet(project_id, named, table, roles)
        self._cast_namesakes(project_id, sheet)
        return self._brought(project_id, sheet.id, table, roles)

    def _put(self, project_id: str, sheet_id: str, table: Table) -> dict[str, Any]:
        put = self._projects.change_sheet(
            project_id, sheet_id, lambda sheet: with_table(sheet, table, _roles(sheet, table))
        )
        self._cast_namesakes(project_id, put)
        return self._brought(project_id, put.id, table, put.roles)

    def _brought(self, project_id: str, id: str, table: Table, roles: Mapping[Role, int]) -> dict[str, Any]:
        """A sheet that has just come in, with what there is to know of that."""
        facts = {"notes": list(import_notes(table, roles)), "encoding": table.form.encoding}
        return self.sheet(project_id, id) | facts

    def _cast_namesakes(self, project_id: str, sheet: Sheet) -> None:
        """A character that nobody speaks yet is spoken by the champion, or the sample, of its name."""
        voices = {voice.id: Casting(voice=voice.id) for voice in self._voices.list()}
        named = {cell(sheet, line, "character") for line in sheet.lines}
        found = {name: {"": (voices[name.casefold()],)} for name in named if name.casefold() in voices}
        self._projects.change(project_id, lambda project: replace(project, cast={**found, **project.cast}))

    def _render(self, project_id: str) -> RenderStatus | None:
        try:
            return self.renderer.status(project_id)
        except UnknownRender:
            return None

    def _desk(self, project: Project) -> str:
        """Return a digest of what a page shows beside a sheet: the projects, and this one's sheets, cast and lexicon."""
        projects = [(each.id, each.name, each.sheets) for each in self._projects.list()]
        names = [sheet.name for sheet in self._projects.sheets(project.id)]
        return hashlib.sha256(repr((projects, names, project.cast, project.lexicon)).encode()).hexdigest()[:16]

    def _readings(self, project: Project) -> Readings:
        return Readings(project, self._voices)

    def _check_cast(self, cast: Cast) -> None:
        for by_emotion in cast.values():
            for castings in by_emotion.values():
                if len(castings) > CASTINGS_MAX or len({each.voice for each in castings}) < len(castings):
                    raise BadInput(f"choose {CASTINGS_MAX} different voices at most for one character")
                for casting in castings:
                    self._voices.order("", casting.voice, casting.engine, casting.settings)


def _roles(sheet: Sheet, table: Table) -> Mapping[Role, int]:
    """Which column of another table of a sheet holds what: as somebody chose, where the columns are the same."""
    return sheet.roles if table.columns == sheet.columns else recognised(table.columns, table.rows)
