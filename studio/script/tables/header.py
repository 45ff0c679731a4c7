"""Find the row of a sheet that has the names of the columns."""

import re
from collections.abc import Sequence

from studio.script.tables.columns import role_of
from studio.script.tables.limits import MAX_ABOVE

SENTENCE = re.compile(r"\S+\s+\S+\s.*[.!?…]\W*$|.{4,}[。！？]\W*$", re.DOTALL)
NAME_MOST = 60  # characters; a longer cell is no name of a column
CODE_MOST = 24


def header_row(rows: Sequence[Sequence[str]]) -> int | None:
    """Return the index of the header among the first MAX_ABOVE + 1 rows; None if there is none."""
    first = rows[: MAX_ABOVE + 1]
    for index, row in enumerate(first):
        if known_names(row) >= 2:
            return index
    widest = max((_filled(row) for row in first), default=0)
    wide = (index for index, row in enumerate(first) if _filled(row) and 2 * _filled(row) >= widest)
    found = next(wide, None)
    if found is None or (widest == 1 and not known_names(rows[found])):
        return None  # lines of text without a header
    if not known_names(rows[found]) and _is_line(rows[found], rows[found + 1 : found + 4]):
        return None
    return found


def known_names(row: Sequence[str]) -> int:
    """Return the number of different roles that the cells of this row name."""
    return len({role for cell in row if (role := role_of(cell))})


def _filled(row: Sequence[str]) -> int:
    return sum(bool(cell.strip()) for cell in row)


def _is_line(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return True if the row is a line of the script: it has a sentence, or a code of the same form as in the rows below."""
    if any(len(cell) > NAME_MOST or SENTENCE.match(cell.strip()) for cell in row):
        return True
    codes = {_code(cell) for cell in row} - {""}
    return bool(below) and all(codes & {_code(cell) for cell in other} for other in below)


def _code(cell: str) -> str:
    """Return the form of a cell with digits, which is equal for L001 and L002; "" for other cells."""
    cell = cell.strip()
    if len(cell) > CODE_MOST or not re.search(r"\d", cell):
        return ""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", cell))
