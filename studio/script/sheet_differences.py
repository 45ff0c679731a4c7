"""Compare a sheet with its changed file, line by line.

Three versions of a line are compared: its cells in the last file, in the studio, and in the new file.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from studio.script.column_matching import laid_out, paired_columns, updated_roles
from studio.script.editing import CHANGED
from studio.script.format.script import Role, ScriptLine, Sheet, Table
from studio.script.row_matching import matched_rows

CellKind = Literal["file", "studio", "both"]
LineKind = Literal["both", "file", "studio", "added", "removed", "moved"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellDifference:
    """A cell whose value in the studio differs from its value in the file."""

    column: int  # column of the file
    kind: CellKind  # which side changed the cell
    before: str | None  # in the last file; None = unknown
    studio: str
    file: str  # in the new file


@dataclass(frozen=True, slots=True, kw_only=True)
class LineDifference:
    """A line that the file adds, changes, moves or lacks, or that was edited in the studio."""

    kind: LineKind  # which side changed the line; "added", "removed" and "moved" are changes of the file
    line: ScriptLine | None  # None for a new line
    row: int | None  # row in the file; None if the file lacks the line
    cells: tuple[CellDifference, ...] = ()
    moved: bool = False

    @property
    def keepable(self) -> bool:
        """Return True if the studio has a version that can be kept."""
        return self.kind in ("both", "studio", "removed")

    @property
    def kept(self) -> bool:
        """Return True if the studio's edits stay by default: the file does not contradict them."""
        if self.kind != "both":
            return self.kind == "studio"
        stays = self.row is not None and self.line is not None and not self.line.deleted
        return stays and all(cell.kind != "both" for cell in self.cells)


class SheetComparison:
    """The comparison of a sheet and its changed file."""

    def __init__(self, sheet: Sheet, table: Table) -> None:
        self.sheet, self.table = sheet, table
        self.pairs = paired_columns(sheet, table)
        self.roles: Mapping[Role, int] = updated_roles(sheet, table, self.pairs)
        self.matches = matched_rows(sheet, table, self.roles, self.pairs)  # lines of the sheet, by row of the file

    @property
    def new_columns(self) -> Sequence[str]:
        return [name for column, name in enumerate(self.table.columns) if column not in self.pairs]

    @property
    def lost_columns(self) -> Sequence[str]:
        return [name for column, name in enumerate(self.sheet.columns) if column not in self.pairs.values()]

    @cached_property
    def lines(self) -> Sequence[LineDifference]:
        """Return every line that differs: first in the order of the file, then the lines that the file lacks."""
        moved = self._moved()
        rows = (self._of_row(row, row in moved) for row in range(len(self.table.rows)))
        matched = {line.key for line in self.matches.values()}
        others = (line for line in self.sheet.lines if not line.deleted and line.key not in matched)
        return [*(each for each in rows if each is not None), *(self._without_row(line) for line in others)]

    def laid_out(self, cells: Sequence[str]) -> tuple[str, ...]:
        """Return the cells of a line in the order of the file's columns."""
        return laid_out(cells, self.pairs, len(self.table.columns))

    def _of_row(self, row: int, moved: bool) -> LineDifference | None:
        line = self.matches.get(row)
        if line is None or line.dropped:
            return LineDifference(kind="added", line=line, row=row)
        cells = self._cells(line, self.table.rows[row])
        if line.deleted:
            kind: LineKind = "both" if any(cell.file != cell.before for cell in cells) else "studio"
            return LineDifference(kind=kind, line=line, row=row, cells=cells)
        if not cells and not moved:
            return None
        return LineDifference(kind=_kind_of(cells), line=line, row=row, cells=cells, moved=moved)

    def _without_row(self, line: ScriptLine) -> LineDifference:
        if line.imported == ():
            return LineDifference(kind="studio", line=line, row=None)
        return LineDifference(kind="removed" if _before(line) == line.cells else "both", line=line, row=None)

    def _cells(self, line: ScriptLine, row: Sequence[str]) -> tuple[CellDifference, ...]:
        """Return the cells that differ. A new column is compared only if it has a role."""
        now, known = self.laid_out(line.cells), _before(line)
        before = None if known is None else self.laid_out(known)
        compared = sorted({*self.pairs, *self.roles.values()})
        return tuple(
            _difference(column, before[column] if before else None, now[column], row[column])
            for column in compared
            if now[column] != row[column]
        )

    def _moved(self) -> Set[int]:
        """Return the rows that count as moved, which are as few as possible."""
        places = {line.key: place for place, line in enumerate(self.sheet.lines)}
        present = [row for row, line in sorted(self.matches.items()) if not line.deleted]
        return set(present) - _longest_ascent(present, [places[self.matches[row].key] for row in present])


def _before(line: ScriptLine) -> tuple[str, ...] | None:
    """Return the line's cells in the last file; None if those are unknown."""
    if line.imported is None and not any(event.what.startswith(CHANGED) for event in line.events):
        return line.cells  # imported by an older studio, and never edited
    return line.imported or None


def _difference(column: int, before: str | None, studio: str, file: str) -> CellDifference:
    kind: CellKind = "file" if studio == before else "studio" if file == before else "both"
    return CellDifference(column=column, kind=kind, before=before, studio=studio, file=file)


def _kind_of(cells: Sequence[CellDifference]) -> LineKind:
    kinds = {cell.kind for cell in cells}
    if not kinds:
        return "moved"
    return "both" if len(kinds) > 1 else kinds.pop()


def _longest_ascent(rows: Sequence[int], places: Sequence[int]) -> Set[int]:
    """Return the rows of a longest subsequence whose places increase."""
    ends: list[int] = []  # the last place of the best subsequence of each length
    last: list[int] = []  # the index of that place
    previous: list[int] = []
    for at, place in enumerate(places):
        length = bisect_left(ends, place)
        ends[length:], last[length:] = [place, *ends[length + 1 :]], [at, *last[length + 1 :]]
        previous.append(last[length - 1] if length else -1)
    found = set()
    at = last[-1] if last else -1
    while at >= 0:
        found.add(rows[at])
        at = previous[at]
    return found
