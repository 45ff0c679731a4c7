"""Read the first worksheet of an XLSX file that has visible content. Cells become text."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from studio.script.format.script import SheetForm, Table
from studio.script.tables.assembly import assembled, bounded
from studio.script.tables.cleaning import cleaned
from studio.script.tables.columns import recognised
from studio.script.tables.errors import BadSheet
from studio.script.tables.number_formats import Format
from studio.script.tables.package import Package, Relations
from studio.script.tables.values import unescaped
from studio.script.tables.worksheet import Worksheet

SAVE_AS = "save the sheet as .xlsx or CSV UTF-8"
NAMED = 3  # maximum number of worksheets in a note


def read_workbook(data: bytes) -> Table:
    """Return the table; its form has the worksheet's title and the columns of numbers.

    Cells contain what a spreadsheet shows: formulas are replaced by their last results, and merged cells are copied to every
    row that they cover. Other worksheets, hidden rows and hidden columns are left out; the notes of the table name them.
    """
    package = Package(data)
    part = Relations(package, "").of_kind("officeDocument")
    if part not in package:
        raise BadSheet(f"the file is a ZIP archive or a document, not an .xlsx workbook; {SAVE_AS}")
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
            cells = Worksheet(shared.texts, styles.formats, book.from_1904)
            package.read(worksheet, cells)
            cells.spread_merged()
            if cells.visible_rows:
                others = [other for other, _ in worksheets[number:]]
                return _table(cells, title, others)
    raise BadSheet("all worksheets of the workbook are empty or hidden; add a header and lines")


def _table(cells: Worksheet, title: str, others: Sequence[str]) -> Table:
    rows = bounded(cells.row(number) for number in cells.visible_rows)
    table = assembled(rows, SheetForm(kind="xlsx", title=cleaned(title)))
    above = len(table.form.above) + any(table.columns)
    table = replace(table, form=replace(table.form, numbers=cells.number_columns(above)))
    lengths = recognised(table.columns, table.rows).get("max_s", -1)
    exact = {number - above for number in cells.constants(lengths)}
    lines = (_exact(row, lengths) if number in exact else row for number, row in enumerate(table.rows))
    return replace(table, rows=tuple(lines), notes=tuple(_notes(cells, title, others, lengths)))


def _exact(row: Sequence[str], column: int) -> tuple[str, ...]:
    """Return a row with =2.5 as its length. A spreadsheet reads this as a formula, but a script reads "exactly 2.5"."""
    return (*row[:column], f"={row[column]}", *row[column + 1 :])


def _notes(cells: Worksheet, title: str, others: Sequence[str], lengths: int) -> Iterator[str]:
    """Yield notes on what was left out. Worksheets before this one are empty, so they are not mentioned."""
    if others:
        shown = ", ".join(cleaned(other) for other in others[:NAMED]) + (" and others" if others[NAMED:] else "")
        yield f"Only the worksheet {cleaned(title)} was imported. Not imported, and not saved with the sheet: {shown}."
    if cells.uncalculated:
        yield (
            f"{_counted(cells.uncalculated, 'A cell has a formula', 'cells have a formula')} without a result and "
            f"{'were' if cells.uncalculated[1:] else 'was'} imported empty (first cell: {cells.uncalculated[0]}). Open the "
            "workbook in a spreadsheet, save the workbook there, and import the new file."
        )
    if cells.hidden_rows:
        yield (
            f"{_counted(cells.hidden_rows, 'A row is', 'rows are')} hidden or filtered out and not imported (first row: "
            f"{cells.hidden_rows[0]}). To import all rows, show all rows in the spreadsheet."
        )
    if cells.hidden_columns:
        yield (
            f"{_counted(cells.hidden_columns, 'A column is', 'columns are')} hidden and not imported: "
            f"{', '.join(cells.hidden_columns[:NAMED])}. To import all columns, show all columns in the spreadsheet."
        )
    if other := cells.constants_outside(lengths):
        yield (
            f"{_counted(other, f'The cell {other[0]} contains', f'cells (first cell: {other[0]}) contain')} a number as a "
            "formula, such as =2.5. Only the number was imported. If the number is an exact length, write “exactly 2.5”, "
            "because a plain number is a maximum length."
        )


def _counted(found: Sequence[object], one: str, several: str) -> str:
    return f"{len(found):,} {several}" if found[1:] else one


class Workbook:
    """Titles and ids of the worksheets, visible ones first, and the date system."""

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
    """Texts that cells refer to by number, without phonetic guides."""

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
    """The number format of each cell style."""

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
