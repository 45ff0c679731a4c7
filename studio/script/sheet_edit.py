"""Changes to a sheet that take effect together, or not at all."""

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
from studio.script.script import Mark, Role, Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class CellEdit:
    line: str
    column: int
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkEdit:
    line: str
    take: str
    mark: Mark | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetEdit:
    """What is to change."""

    roles: Mapping[Role, int | None] = field(default_factory=dict)
    name: str | None = None
    cells: Sequence[CellEdit] = ()
    marks: Sequence[MarkEdit] = ()
    delete: Sequence[str] = ()
    restore: Sequence[str] = ()
    add: Sequence[NewLine] = ()


def edited(sheet: Sheet, edit: SheetEdit, at: str) -> Sheet:
    """The sheet after it. Raises UnknownLine, BadInput."""
    changes: dict[str, LineChange] = {}  # one of each line, though several parts of the edit name it

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
