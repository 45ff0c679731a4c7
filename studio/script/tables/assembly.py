"""Build tables from rows of cells, within the limits."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from studio.script.format.script import SheetForm, Table
from studio.script.tables.cleaning import are_neutral, restored
from studio.script.tables.errors import BadSheet
from studio.script.tables.header import header_row
from studio.script.tables.limits import (
    MAX_ABOVE,
    MAX_CELLS,
    MAX_CHARACTERS,
    MAX_COLUMNS,
    MAX_ROWS,
    MAX_TOTAL_CHARACTERS,
    MIB,
)

Rows = Sequence[Sequence[str]]

TOO_MANY_ROWS = f"the sheet has over {MAX_ROWS:,} rows; split the sheet"
TOO_MANY_COLUMNS = f"the sheet has over {MAX_COLUMNS} columns; keep only the columns that the script needs"
TOO_MANY_CELLS = (
    f"the sheet has over {MAX_CELLS:,} cells; split the sheet, or keep only the columns that the script needs"
)


def bounded(rows: Iterable[list[str]]) -> list[list[str]]:
    """Return the rows. Raises BadSheet as soon as they exceed a limit."""
    kept: list[list[str]] = []
    cells = characters = 0
    for number, whole in enumerate(rows, 1):
        row = whole if len(whole) <= MAX_COLUMNS else _trimmed(whole)
        lengths = [len(cell) for cell in row]
        cells, characters = cells + len(row), characters + sum(lengths)
        if number > MAX_ABOVE + 1 + MAX_ROWS:
            raise BadSheet(TOO_MANY_ROWS)
        if len(row) > MAX_COLUMNS:
            raise BadSheet(TOO_MANY_COLUMNS)
        if max(lengths, default=0) > MAX_CHARACTERS:
            raise BadSheet(f"row {number} has a cell of over {MAX_CHARACTERS:,} characters; shorten the cell")
        if cells > MAX_CELLS:
            raise BadSheet(TOO_MANY_CELLS)
        if characters > MAX_TOTAL_CHARACTERS:
            raise BadSheet(f"the sheet has over {MAX_TOTAL_CHARACTERS // MIB} million characters; split the sheet")
        kept.append(row)
    return kept


def assembled(rows: Rows, form: SheetForm) -> Table:
    """Return the table. Rows above the header go into `form`, and the other rows are padded to the same width.

    Apostrophes before formulas are removed.
    """
    if form.kind != "xlsx" and are_neutral(chain.from_iterable(rows)):
        rows = [[restored(cell) for cell in row] for row in rows]
        form = replace(form, neutral=True)
    header = header_row(rows)
    start = 0 if header is None else header + 1
    below = rows[start:]
    if len(below) > MAX_ROWS:
        raise BadSheet(TOO_MANY_ROWS)
    names = () if header is None else rows[header]
    width = max(len(names), max(map(len, below), default=0))
    return Table(
        columns=_padded(names, width),
        rows=tuple(_padded(row, width) for row in below),
        form=replace(form, above=tuple(map(tuple, rows[: header or 0]))),
    )


def _padded(row: Sequence[str], width: int) -> tuple[str, ...]:
    return (*row, *[""] * (width - len(row)))


def _trimmed(row: Sequence[str]) -> list[str]:
    """Return the row without empty cells at its end, of which spreadsheets may write hundreds."""
    width = next((width for width in range(len(row), 0, -1) if row[width - 1]), 0)
    return list(row[:width])
