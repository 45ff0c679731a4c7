"""Undo an update of a sheet: restore its lines, and keep takes and edits that were made after the update."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from studio.errors import Conflict
from studio.script.column_matching import laid_out, same_names
from studio.script.format.script import Role, ScriptLine, Sheet, SheetForm


class SheetChanged(Conflict):
    """The sheet has changed since the user decided on this change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineCells:
    """The values of a line before an update, and its cells after the update."""

    key: str
    cells: tuple[str, ...]
    imported: tuple[str, ...] | None
    deleted: bool
    updated: tuple[str, ...]  # cells after the update
    updated_deleted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetBefore:
    """A sheet before an update, without takes."""

    columns: tuple[str, ...]
    roles: Mapping[Role, int]
    form: SheetForm
    lines: tuple[LineCells, ...]
    updated_columns: tuple[str, ...]
    added: tuple[str, ...]  # keys of the lines that the update added


def sheet_before(before: Sheet, after: Sheet) -> SheetBefore:
    """Return the data that `restored` needs to undo the update."""
    now, known = {line.key: line for line in after.lines}, {line.key for line in before.lines}
    return SheetBefore(
        columns=before.columns,
        roles=before.roles,
        form=before.form,
        lines=tuple(_line_cells(line, now[line.key]) for line in before.lines),
        updated_columns=after.columns,
        added=tuple(line.key for line in after.lines if line.key not in known),
    )


def restored(sheet: Sheet, before: SheetBefore) -> Sheet:
    """Return the sheet before the update, with the takes, edits and lines that were added after the update.

    Raises SheetChanged if a later update changed the columns.
    """
    if sheet.columns != before.updated_columns:
        raise SheetChanged("a later update changed the columns of this sheet; undo that update first")
    now, revision = {line.key: line for line in sheet.lines}, sheet.revision + 1
    pairs = same_names(sheet.columns, before.columns)
    width, known = len(before.columns), {each.key for each in before.lines}
    back = [_restored(now[each.key], each, pairs) for each in before.lines]
    for line in sheet.lines:
        if line.key not in known:
            deleted = line.deleted or line.key in before.added
            back.append(replace(line, cells=laid_out(line.cells, pairs, width), imported=(), deleted=deleted))
    lines = tuple(replace(line, revision=revision) for line in back)
    return replace(sheet, columns=before.columns, roles=before.roles, form=before.form, lines=lines, revision=revision)


def _line_cells(line: ScriptLine, after: ScriptLine) -> LineCells:
    return LineCells(
        key=line.key,
        cells=line.cells,
        imported=line.imported,
        deleted=line.deleted,
        updated=after.cells,
        updated_deleted=after.deleted,
    )


def _restored(line: ScriptLine, before: LineCells, pairs: Mapping[int, int]) -> ScriptLine:
    """Return the line before the update, with the edits that were made after it."""
    edited = {column: line.cells[now] for column, now in pairs.items() if line.cells[now] != before.updated[now]}
    cells = tuple(edited.get(column, value) for column, value in enumerate(before.cells))
    deleted = before.deleted if line.deleted == before.updated_deleted else line.deleted
    return replace(line, cells=cells, imported=before.imported, deleted=deleted)
