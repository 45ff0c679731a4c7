"""Changes to a sheet that are applied together, or not at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from studio.script.editing import (
    LineChange,
    NewLine,
    change_lines,
    with_added,
    with_cell,
    with_mark,
    with_presence,
    with_roles,
)
from studio.script.format.script import Mark, Role, Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class CellEdit:
    line: str
    column: int
    value: str
    before: str | None = None  # the content that the writer knows


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkEdit:
    line: str
    take: str
    mark: Mark | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetEdit:
    """The changes of one request."""

    roles: Mapping[Role, int | None] = field(default_factory=dict)
    name: str | None = None
    cells: Sequence[CellEdit] = ()
    marks: Sequence[MarkEdit] = ()
    delete: Sequence[str] = ()
    restore: Sequence[str] = ()
    add: Sequence[NewLine] = ()


def overwritten(sheet: Sheet, edit: SheetEdit) -> Sequence[CellEdit]:
    """Return the edited cells whose present content is neither `before` nor the new content, with the present content."""
    wanted = {(written.line, written.column): written for written in edit.cells if written.before is not None}
    keys = {line for line, _ in wanted}
    found = []
    for line in (line for line in sheet.lines if line.key in keys):
        for column, value in enumerate(line.cells):
            written = wanted.get((line.key, column))
            if written is not None and value not in (written.before, written.value):
                found.append(CellEdit(line=line.key, column=column, value=value))
    return found


def edited(sheet: Sheet, edit: SheetEdit, at: str) -> Sheet:
    """Return the edited sheet. Raises UnknownLine, BadInput."""
    changes: dict[str, LineChange] = {}  # one change for each line, even if several parts of the edit concern the line

    def also(key: str, change: LineChange) -> None:
        before = changes.get(key)
        changes[key] = change if before is None else lambda line: change(before(line))

    for written in edit.cells:
        also(written.line, with_cell(written.column, written.value, at))
    for marked in edit.marks:
        also(marked.line, with_mark(marked.take, at, mark=marked.mark, comment=marked.comment))
    for key in edit.delete:
        also(key, with_presence(False))
    for key in edit.restore:
        also(key, with_presence(True))
    after = change_lines(sheet, changes) if changes else sheet
    after = with_roles(after, edit.roles) if edit.roles else after
    after = with_added(after, edit.add) if edit.add else after
    if edit.name is not None:
        after = replace(after, name=" ".join(edit.name.split())[:120] or after.name, revision=after.revision + 1)
    return after
