"""Updates of sheets from their changed files: compare, apply, undo."""

import re
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from studio.disk.database import saving
from studio.disk.files import atomic_write
from studio.errors import NotFound
from studio.script.comparison_json import comparison_digest, comparison_json
from studio.script.format.script import ScriptLine, Sheet, Table, cell
from studio.script.projects import Projects
from studio.script.sheet_differences import SheetComparison
from studio.script.sheet_undo import SheetBefore, SheetChanged, restored, sheet_before
from studio.script.sheet_update import updated
from studio.script.tables.columns import recognised

FOLDER = "updates"  # in the project's folder; holds each sheet as it was before an update
KEPT = 10  # number of updates of a sheet that can be undone
LIKELY = 0.3  # a file with at least this share of common texts may be an update of a sheet
BEFORE = TypeAdapter(SheetBefore)
UPDATE = re.compile(r"[0-9]{1,12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateChoice:
    """The edits in the studio that stay if the file differs."""

    keep: tuple[str, ...] | Literal["none", "all"] = "none"  # keys of lines
    seen: str = ""  # digest of the comparison that the user saw; "" = any


class UnknownUpdate(NotFound):
    """The sheet has no such update, or the update is too old."""


class SheetUpdates:
    """The updates of all projects. Thread-safe."""

    def __init__(self, projects: Projects, now: Callable[[], datetime]) -> None:
        self._projects, self._now = projects, now
        self._undoing = threading.Lock()

    def compare(self, project_id: str, sheet_id: str, table: Table) -> dict[str, Any]:
        """Return the changes that an update would make, line by line. Raises UnknownSheet."""
        return comparison_json(SheetComparison(self._projects.sheet(project_id, sheet_id), table))

    def candidates(self, project_id: str, table: Table, name: str) -> Sequence[dict[str, Any]]:
        """Return the sheets that a file may update, the most likely first. Raises UnknownProject."""
        text = recognised(table.columns, table.rows).get("text")
        texts = {row[text].strip() for row in table.rows} - {""} if text is not None else set[str]()
        found = []
        for sheet in self._projects.sheets(project_id):
            lines = [line for line in sheet.lines if not line.deleted]
            known = {cell(sheet, line, "text") for line in [*lines, *map(as_imported, lines)]}
            shared, named = len(texts & known), sheet.name == name
            if named or shared > LIKELY * len(texts):
                found.append({"id": sheet.id, "name": sheet.name, "shared": shared, "of": len(texts), "named": named})
        return sorted(found, key=lambda each: (each["named"], each["shared"]), reverse=True)

    def apply(self, project_id: str, sheet_id: str, table: Table, choice: UpdateChoice) -> Sheet:
        """Update a sheet from its changed file.

        Raises UnknownSheet, NotSaved, and SheetChanged if the sheet was edited since the comparison that `choice` names.
        """
        at = self._now().isoformat(timespec="seconds")

        def change(sheet: Sheet) -> Sheet:
            comparison = SheetComparison(sheet, table)
            if choice.seen and choice.seen != comparison_digest(comparison):
                raise SheetChanged("the sheet was edited after the comparison; check the changes again")
            return updated(comparison, _kept(comparison, choice), at)

        return self._change(project_id, sheet_id, change)

    def undo(self, project_id: str, sheet_id: str, update: str) -> Sheet:
        """Undo an update. An undo is an update, too, so a second undo is a redo.

        Raises UnknownSheet, UnknownUpdate, SheetChanged, NotSaved.
        """
        path = self._path(project_id, sheet_id, update)
        with self._undoing:
            try:
                before = BEFORE.validate_json(path.read_bytes())
            except (OSError, ValidationError) as error:
                raise UnknownUpdate("this update is too old to undo; import the earlier file again") from error
            after = self._change(project_id, sheet_id, lambda sheet: restored(sheet, before))
            path.unlink(missing_ok=True)
        return after

    def _change(self, project_id: str, sheet_id: str, change: Callable[[Sheet], Sheet]) -> Sheet:
        """Change the sheet, and save the undo step under the new revision."""

        def changed(sheet: Sheet) -> Sheet:
            after = change(sheet)
            with saving(), atomic_write(self._path(project_id, sheet_id, str(after.revision))) as file:
                file.write(BEFORE.dump_json(sheet_before(sheet, after)))
            return after

        after = self._projects.change_sheet(project_id, sheet_id, changed)
        kept = sorted(self._folder(project_id).glob(f"{sheet_id}-*.json"))
        for path in kept[:-KEPT]:
            path.unlink(missing_ok=True)
        return after

    def _path(self, project_id: str, sheet_id: str, update: str) -> Path:
        """Return the file of an undo step. Raises UnknownUpdate."""
        if UPDATE.fullmatch(update) is None:
            raise UnknownUpdate("this update of the sheet was not found; reload the page")
        return self._folder(project_id) / f"{sheet_id}-{int(update):012}.json"

    def _folder(self, project_id: str) -> Path:
        return self._projects.folder(project_id) / FOLDER


def as_imported(line: ScriptLine) -> ScriptLine:
    """Return the line with the cells of the last file, if those are known."""
    return replace(line, cells=line.imported or line.cells)


def _kept(comparison: SheetComparison, choice: UpdateChoice) -> Collection[str]:
    """Return the keys of lines whose edits stay."""
    if isinstance(choice.keep, tuple):
        return choice.keep
    keepable = [each.line.key for each in comparison.lines if each.keepable and each.line]
    return keepable if choice.keep == "all" else ()
