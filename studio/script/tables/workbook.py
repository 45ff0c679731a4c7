"""XLSX as cells of text: what a person sees in the first worksheet with something in it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from openpyxl.utils import get_column_letter

from studio.script.script import SheetForm, Table
from studio.script.tables.assembly import TOO_MANY_COLUMNS, TOO_MANY_ROWS, assembled, bounded
from studio.script.tables.cleaning import cleaned
from studio.script.tables.errors import BadSheet
from studio.script.tables.limits import MAX_ABOVE, MAX_COLUMNS, MAX_ROWS
from studio.script.tables.package import Package, Relations
from studio.script.tables.values import Format, as_number, displayed, unescaped

SAVE_AS = "save the sheet as .xlsx or CSV UTF-8"
NAMED = 3  # of many worksheets
REFERENCE = re.compile(r"([A-Za-z]{1,3})\d+")


def read_workbook(data: bytes) -> Table:
    """The table; its form has the worksheet's title and which columns hold numbers.

    Other worksheets are left out, and of formulas all but their last results; its notes say where that is a loss.
    """
    package = Package(data)
    part = Relations(package, "").of_kind("officeDocument")
    if part not in package:
        raise BadSheet(f"the file is a zip archive or document but no .xlsx; {SAVE_AS}")
    relations = Relations(package, part)
    book = Workbook()
    package.read(part, book)
    shared, styles = Texts(), Styles()
    for kind, handler in (("sharedStrings", shared), ("styles", styles)):
        if (other := relations.of_kind(kind)) in package:
            package.read(other, handler)
    worksheets = list(dict.fromkeys(book.sheets))
    for number, (title, relation) in enumerate(worksheets, 1):
        if (worksheet := relations[relation]) in package:
            cells = Cells(shared.texts, styles.formats, book.from_1904)
            package.read(worksheet, cells)
            if cells.rows:
                others = [other for other, _ in worksheets[number:]]
                return replace(_table(cells, title), notes=tuple(_notes(cells, title, others)))
    raise BadSheet("the workbook's sheets are empty; add a header and lines")


def _table(cells: "Cells", title: str) -> Table:
    last = max(cells.rows)
    rows = bounded(cells.row(number) for number in range(1, last + 1))
    table = assembled(rows, SheetForm(kind="xlsx", title=cleaned(title)))
    header = len(table.form.above) + any(table.columns)
    numbers = sorted(column for column in cells.numbers if cells.last_text.get(column, 0) <= header)
    return replace(table, form=replace(table.form, numbers=tuple(numbers)))


def _notes(cells: "Cells", title: str, others: Sequence[str]) -> Iterator[str]:
    """What did not come in; worksheets before this one were empty."""
    if others:
        shown = ", ".join(cleaned(other) for other in others[:NAMED]) + (" and others" if others[NAMED:] else "")
        yield f"Of the workbook, {cleaned(title)} came in; {shown} did not, and a sheet that you save does not hold them."
    if cells.uncalculated:
        first = cells.uncalculated[0]
        count = (
            f"{len(cells.uncalculated):,} cells hold formulas" if cells.uncalculated[1:] else "A cell holds a formula"
        )
        yield (
            f"{count} without a result, the first at {first}, and came in empty; "
            "open the workbook in a spreadsheet, save it there, and import it again."
        )


class Workbook:
    """The worksheets' titles and ids, visible ones first, and how dates count."""

    def __init__(self) -> None:
        self.from_1904 = False
        self._visible: list[tuple[str, str]] = []
        self._hidden: list[tuple[str, str]] = []

    @property
    def sheets(self) -> Sequence[tuple[str, str]]:
        return [*self._visible, *self._hidden]

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "workbookPr":
            self.from_1904 = attributes.get("date1904") in ("1", "true")
        if tag == "sheet":
            relation = next((value for key, value in attributes.items() if key.endswith("}id")), "")
            sheets = self._visible if attributes.get("state", "visible") == "visible" else self._hidden
            sheets.append((attributes.get("name", ""), relation))

    def text(self, text: str) -> None: ...
    def end(self, tag: str) -> None: ...


class Texts:
    """The texts that cells share by number, without their phonetic guides."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._pieces: list[str] = []
        self._within: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in ("t", "rPh"):
            self._within.append(tag)

    def text(self, text: str) -> None:
        if self._within == ["t"]:
            self._pieces.append(text)

    def end(self, tag: str) -> None:
        if tag in ("t", "rPh"):
            self._within.pop()
        elif tag == "si":
            self.texts.append(unescaped("".join(self._pieces)))
            self._pieces.clear()


class Styles:
    """The number format of each style that a cell may name."""

    def __init__(self) -> None:
        self.formats: list[Format] = []
        self._codes: dict[str, str] = {}
        self._made: dict[str, Format] = {}
        self._of_cells = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "numFmt":
            self._codes[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")[:255]
        elif tag == "cellXfs":
            self._of_cells = True
        elif tag == "xf" and self._of_cells:
            number = attributes.get("numFmtId", "0")
            if number not in self._made:
                self._made[number] = Format.of(number, self._codes.get(number))
            self.formats.append(self._made[number])

    def text(self, text: str) -> None: ...

    def end(self, tag: str) -> None:
        if tag == "cellXfs":
            self._of_cells = False


class Cells:
    """A worksheet's cells with something in them, by row and column; of formulas, their last results."""

    def __init__(self, shared: Sequence[str], formats: Sequence[Format], from_1904: bool) -> None:
        self.rows: dict[int, dict[int, str]] = {}  # by numbers from 1, columns from 0
        self.numbers: set[int] = set()  # columns with one
        self.uncalculated: list[str] = []  # where formulas without a result stand
        self.last_text: dict[int, int] = {}  # the last row of a column in which something else stands
        self._shared, self._formats, self._from_1904 = shared, formats, from_1904
        self._row, self._column = 0, -1
        self._attributes: Mapping[str, str] = {}
        self._pieces: list[str] = []
        self._reads = self._phonetic = self._formula = False

    def row(self, number: int) -> list[str]:
        cells = self.rows.get(number, {})
        return [cells.get(column, "") for column in range(max(cells, default=-1) + 1)]

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "c":
            self._attributes = attributes
            self._pieces = []
            self._column = _column(attributes.get("r", ""), self._column + 1)
            self._formula = False
        elif tag == "f":
            self._formula = True
        elif tag == "v" or tag == "t":
            self._reads = not self._phonetic
        elif tag == "rPh":
            self._phonetic = True
        elif tag == "row":
            self._row = max(1, int(attributes.get("r", self._row + 1)))
            self._column = -1

    def text(self, text: str) -> None:
        if self._reads:
            self._pieces.append(text)

    def end(self, tag: str) -> None:
        if tag == "v" or tag == "t":
            self._reads = False
        elif tag == "rPh":
            self._phonetic = False
        elif tag == "c" and self._pieces:
            self._keep("".join(self._pieces))
        elif tag == "c" and self._formula and self._attributes.get("t") != "str":  # a text may be empty
            self.uncalculated.append(f"{get_column_letter(self._column + 1)}{self._row}")

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
            self.numbers.add(self._column)
        else:
            self.last_text[self._column] = max(self._row, self.last_text.get(self._column, 0))

    def _value(self, kind: str, raw: str) -> str:
        if kind == "s":
            return self._shared[int(raw)]
        if kind in ("inlineStr", "str"):
            return unescaped(raw)
        if kind == "b":
            return "TRUE" if raw.strip() == "1" else "FALSE"
        if kind != "n":
            return cleaned(raw)
        style = int(self._attributes.get("s", 0))
        return displayed(raw, self._formats[style] if style < len(self._formats) else Format(), self._from_1904)


def _column(reference: str, following: int) -> int:
    """The index that a cell's reference names; without one, cells follow one another."""
    match = REFERENCE.fullmatch(reference)
    if match is None:
        return following
    index = 0
    for letter in match[1].upper():
        index = 26 * index + ord(letter) - 64
    return index - 1
