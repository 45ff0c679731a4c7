"""Sheets as files: import, paste, update, export."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from studio.script.format.script import Sheet, SheetForm, Table
from studio.script.import_notes import import_notes
from studio.script.namesakes import Namesakes
from studio.script.projects import Projects
from studio.script.sheet_updates import SheetUpdates, UpdateChoice
from studio.script.tables import SheetFile, read_pasted, read_table, table_encodings, write_table
from studio.script.tables.columns import recognised
from studio.script.views import ScriptViews

FILE_WINS = UpdateChoice()
NAME_MAX = 120  # characters


class SheetFiles:
    """Imports and exports sheets. Thread-safe.

    Imported sheets are returned as JSON. `notes` lists what was not imported, and what cannot be used. A character without a
    voice gets the voice with its name.
    """

    def __init__(self, projects: Projects, views: ScriptViews, updates: SheetUpdates, namesakes: Namesakes) -> None:
        self._projects, self._views, self._updates, self._namesakes = projects, views, updates, namesakes

    def encodings(self, path: Path, name: str) -> Sequence[Mapping[str, Any]]:
        """Return the possible encodings of a sheet's file, most likely first. Raises BadSheet."""
        return [asdict(choice) for choice in table_encodings(path.read_bytes(), name)]

    def add(self, project_id: str, path: Path, name: str, encoding: str = "") -> dict[str, Any]:
        """Add a sheet from a file. Raises UnknownProject, UncertainEncoding, BadSheet, NotSaved."""
        return self._added(project_id, read_table(path.read_bytes(), name, encoding), name)

    def paste(self, project_id: str, text: str, name: str) -> dict[str, Any]:
        """Add a sheet from pasted cells. Raises UnknownProject, BadSheet, NotSaved."""
        return self._added(project_id, read_pasted(text), name)

    def put(self, project_id: str, path: Path, name: str, encoding: str = "") -> dict[str, Any]:
        """Add a sheet, or replace the sheet with this name. Matched lines keep their takes.

        Raises UnknownProject, UncertainEncoding, BadSheet, NotSaved.
        """
        table = read_table(path.read_bytes(), name, encoding)
        here = next((sheet for sheet in self._projects.sheets(project_id) if sheet.name == name), None)
        if here is None:
            return self._added(project_id, table, name)
        return self._updated(project_id, here.id, table, FILE_WINS)

    def update(
        self, project_id: str, sheet_id: str, file: SheetFile, choice: UpdateChoice = FILE_WINS
    ) -> dict[str, Any]:
        """Replace a sheet by its changed file. Matched lines keep their takes.

        The member `update` of the result identifies the step that undoes the update. Raises UnknownSheet, UncertainEncoding,
        BadSheet, NotSaved, SheetChanged.
        """
        return self._updated(project_id, sheet_id, file.table(), choice)

    def undo(self, project_id: str, sheet_id: str, update: str) -> dict[str, Any]:
        """Undo an update. The member `update` of the result identifies the step that redoes it.

        Raises UnknownSheet, UnknownUpdate, SheetChanged, NotSaved.
        """
        undone = self._updates.undo(project_id, sheet_id, update)
        return self._views.sheet(project_id, sheet_id) | {"update": undone.revision}

    def export(self, project_id: str, sheet_id: str, form: SheetForm | None = None) -> tuple[str, bytes]:
        """Return the name and content of the edited sheet as a file, in the format `form` or the original one.

        Raises UnknownSheet.
        """
        sheet = self._projects.sheet(project_id, sheet_id)
        rows = tuple(line.cells for line in sheet.lines if not line.deleted)
        table = Table(columns=sheet.columns, rows=rows, form=form or sheet.form)
        name = f"{Path(sheet.name).stem}.{table.form.kind}"
        return name, write_table(table, neutral=form is not None)

    def _added(self, project_id: str, table: Table, name: str) -> dict[str, Any]:
        named = " ".join(Path(name).name.split())[:NAME_MAX] or f"sheet.{table.form.kind}"
        sheet = self._projects.add_sheet(project_id, named, table, recognised(table.columns, table.rows))
        return self._imported(project_id, sheet, table)

    def _updated(self, project_id: str, sheet_id: str, table: Table, choice: UpdateChoice) -> dict[str, Any]:
        sheet = self._updates.apply(project_id, sheet_id, table, choice)
        return self._imported(project_id, sheet, table) | {"update": sheet.revision}

    def _imported(self, project_id: str, sheet: Sheet, table: Table) -> dict[str, Any]:
        """Give characters of a newly imported sheet the voices with their names. Return the sheet with its notes."""
        self._namesakes.cast(project_id, sheet)
        readings = self._views.readings(project_id)
        notes = {
            "notes": list(import_notes(table, sheet, readings.languages, readings.unknown_voices)),
            "file_notes": list(table.notes),
        }
        return self._views.sheet(project_id, sheet.id) | notes | {"encoding": table.form.encoding}
