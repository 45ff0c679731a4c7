"""Read the cells of one worksheet from its XML, in the order of the file."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property

from openpyxl.utils import get_column_letter

from studio.script.tables.assembly import TOO_MANY_CELLS, TOO_MANY_COLUMNS, TOO_MANY_ROWS
from studio.script.tables.cleaning import cleaned
from studio.script.tables.errors import BadSheet
from studio.script.tables.limits import MAX_ABOVE, MAX_CELLS, MAX_COLUMNS, MAX_ROWS
from studio.script.tables.number_formats import Format
from studio.script.tables.values import as_number, displayed, unescaped

REFERENCE = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")
CONSTANT = re.compile(r"\s*\+?\s*(?:\d{1,4}(?:\.\d{1,20})?|\.\d{1,20})\s*")  # a formula that is only a number
TRUE = ("1", "true")


class Worksheet:
    """The cells of a worksheet. Rows count from 1, as in spreadsheets; columns from 0."""

    def __init__(self, shared: Sequence[str], formats: Sequence[Format], from_1904: bool) -> None:
        self.rows: dict[int, dict[int, str]] = {}
        self.uncalculated: list[str] = []  # references of cells with a formula but no result
        self._numbers: set[int] = set()  # columns with a number
        self._last_text: dict[int, int] = {}  # the last row of each column that has something else than a number
        self._constants: list[tuple[int, int]] = []  # rows and columns of formulas that are a single number
        self._hidden_rows: set[int] = set()
        self._hidden_columns: set[int] = set()
        self._merged: list[str] = []
        self._shared, self._formats, self._from_1904 = shared, formats, from_1904
        self._row, self._column = 0, -1
        self._attributes: Mapping[str, str] = {}
        self._pieces: list[str] = []
        self._formula: list[str] | None = None
        self._shared_formulas: dict[str, str] = {}
        self._reads = self._phonetic = self._reads_formula = False

    # Results.

    @cached_property
    def visible_rows(self) -> Sequence[int]:
        """Return the numbers of visible rows up to the last row with content, including empty rows."""
        shown = [number for number in self.rows if number not in self._hidden_rows and any(self.row(number))]
        return [number for number in range(1, max(shown, default=0) + 1) if number not in self._hidden_rows]

    @property
    def hidden_rows(self) -> Sequence[int]:
        """Return the numbers of hidden rows that are not empty."""
        return sorted(self._hidden_rows & self.rows.keys())

    @property
    def hidden_columns(self) -> Sequence[str]:
        """Return the letters of hidden columns that are not empty."""
        filled = {column for row in self.rows.values() for column in row} if self._hidden_columns else set()
        return [get_column_letter(column + 1) for column in sorted(self._hidden_columns & filled)]

    def row(self, number: int) -> list[str]:
        """Return a row's cells in the visible columns."""
        cells = self.rows.get(number, {})
        columns = range(max(cells, default=-1) + 1)
        return [cells.get(column, "") for column in columns if column not in self._hidden_columns]

    def number_columns(self, above: int) -> tuple[int, ...]:
        """Return the visible columns that contain only numbers below the first `above` visible rows."""
        last = self.visible_rows[above - 1] if above else 0
        found = {column for column in self._numbers if self._last_text.get(column, 0) <= last}
        return tuple(sorted(self._place(column) for column in found - self._hidden_columns))

    def constants(self, place: int) -> Sequence[int]:
        """Return the visible rows, counted from 0, where the visible column `place` has a formula that is a single number."""
        rows = [row for row, column in self._shown_constants() if self._place(column) == place]
        return [bisect_left(self.visible_rows, row) for row in rows]

    def constants_outside(self, place: int) -> Sequence[str]:
        """Return the cells of other visible columns that have a formula that is a single number."""
        shown = self._shown_constants()
        return [f"{get_column_letter(column + 1)}{row}" for row, column in shown if self._place(column) != place]

    def spread_merged(self) -> None:
        """Copy merged cells to every row that they cover, if the row has a cell in another column."""
        numbers, left = sorted(self.rows), MAX_CELLS
        for first, last, column in filter(None, map(_tall, self._merged)):
            value = self.rows.get(first, {}).get(column)
            if value is None:
                continue
            covered = numbers[bisect_right(numbers, first) : bisect_right(numbers, last)]
            left -= len(covered)
            if left < 0:
                raise BadSheet(TOO_MANY_CELLS)
            for number in covered:
                self.rows[number].setdefault(column, value)
            if covered and as_number(value) is None:
                self._last_text[column] = max(covered[-1], self._last_text.get(column, 0))

    def _place(self, column: int) -> int:
        """Return the index of a visible column among the visible columns."""
        return column - sum(hidden < column for hidden in self._hidden_columns)

    def _shown_constants(self) -> Sequence[tuple[int, int]]:
        return [
            (row, column)
            for row, column in self._constants
            if row not in self._hidden_rows and column not in self._hidden_columns
        ]

    # Events of the XML parser.

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "c":
            self._attributes = attributes
            self._pieces, self._formula = [], None
            self._column = _column(attributes.get("r", ""), self._column + 1)
        elif tag == "f":
            self._formula, self._reads_formula = [], True
            self._formula_id = attributes.get("si", "")
        elif tag in ("v", "t"):
            self._reads = not self._phonetic
        elif tag == "rPh":
            self._phonetic = True
        elif tag == "row":
            self._begin_row(attributes)
        elif tag == "col":
            self._begin_columns(attributes)
        elif tag == "mergeCell":
            self._merged.append(attributes.get("ref", ""))

    def _begin_row(self, attributes: Mapping[str, str]) -> None:
        self._row = max(1, int(attributes.get("r", self._row + 1)))
        self._column = -1
        if attributes.get("hidden") in TRUE:
            self._hidden_rows.add(self._row)

    def _begin_columns(self, attributes: Mapping[str, str]) -> None:
        if attributes.get("hidden") in TRUE:
            first, last = int(attributes.get("min", 1)), int(attributes.get("max", 0))
            self._hidden_columns.update(range(max(first, 1) - 1, min(last, MAX_COLUMNS)))

    def text(self, text: str) -> None:
        if self._reads:
            self._pieces.append(text)
        elif self._reads_formula and self._formula is not None:
            self._formula.append(text)

    def end(self, tag: str) -> None:
        if tag in ("v", "t"):
            self._reads = False
        elif tag == "f":
            self._end_formula()
        elif tag == "rPh":
            self._phonetic = False
        elif tag == "c" and self._pieces:
            self._keep("".join(self._pieces))
        # A formula may have an empty text as its result.
        elif tag == "c" and self._formula is not None and self._attributes.get("t") != "str":
            self.uncalculated.append(f"{get_column_letter(self._column + 1)}{self._row}")

    def _end_formula(self) -> None:
        """Keep the formula of a cell. A formula that was filled down is in the first cell only; the others refer to its id."""
        self._reads_formula = False
        formula = "".join(self._formula or ())[:64]
        if self._formula_id:
            formula = formula or self._shared_formulas.get(self._formula_id, "")
            self._shared_formulas[self._formula_id] = formula
        self._formula = [formula]

    def _keep(self, raw: str) -> None:
        kind = self._attributes.get("t", "n")
        value = self._value(kind, raw)
        if not value:
            return
        if self._column >= MAX_COLUMNS:
            raise BadSheet(TOO_MANY_COLUMNS)
        if self._row > MAX_ABOVE + 1 + MAX_ROWS:
            raise BadSheet(TOO_MANY_ROWS)
        self.rows.setdefault(self._row, {})[self._column] = value
        if kind == "n" and as_number(value) is not None:
            self._numbers.add(self._column)
        else:
            self._last_text[self._column] = max(self._row, self._last_text.get(self._column, 0))
        if kind == "n" and self._formula and CONSTANT.fullmatch(self._formula[0]):
            self._constants.append((self._row, self._column))

    def _value(self, kind: str, raw: str) -> str:
        style = int(self._attributes.get("s", 0))
        format = self._formats[style] if style < len(self._formats) else Format()
        if kind == "s":
            return format.around_text(self._shared[int(raw)])
        if kind in ("inlineStr", "str"):
            return format.around_text(unescaped(raw))
        if kind == "b":
            return "TRUE" if raw.strip() == "1" else "FALSE"
        return displayed(raw, format, self._from_1904) if kind == "n" else cleaned(raw)


def _column(reference: str, following: int) -> int:
    """Return the column of a cell's reference; without a reference it is the column `following`."""
    match = REFERENCE.fullmatch(reference)
    return following if match is None else _index(match[1])


def _index(letters: str) -> int:
    index = 0
    for letter in letters.upper():
        index = 26 * index + ord(letter) - 64
    return index - 1


def _tall(reference: str) -> tuple[int, int, int] | None:
    """Return first row, last row and first column of merged cells such as "B2:B5"; None if they are in one row."""
    ends = [REFERENCE.fullmatch(end) for end in reference.split(":")]
    if len(ends) != 2 or ends[0] is None or ends[1] is None:
        return None
    first, last = int(ends[0][2]), int(ends[1][2])
    return (first, last, _index(ends[0][1])) if last > first else None
