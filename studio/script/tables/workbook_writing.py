"""Write cells of text as XLSX."""

import io
import re
from collections.abc import Iterable, Sequence

from openpyxl import Workbook
from openpyxl.cell import Cell, WriteOnlyCell
from openpyxl.worksheet.worksheet import Worksheet

from studio.script.format.script import SheetForm
from studio.script.tables.cleaning import looks_like_formula
from studio.script.tables.values import as_number, escaped

NOT_IN_TITLES = re.compile(r"[\\*?:/\[\]]")
TITLE_MOST = 31


def workbook(rows: Iterable[Sequence[str]], form: SheetForm, header: int) -> bytes:
    """Return a workbook with one worksheet.

    Cells are text. Only the form's columns of numbers have numbers, below the `header` rows.
    """
    book = Workbook(write_only=True)
    sheet = book.create_sheet(NOT_IN_TITLES.sub(" ", form.title)[:TITLE_MOST] or "Script")
    for number, row in enumerate(rows):
        numeric = form.numbers if number >= header else ()
        sheet.append([_cell(sheet, text, column in numeric) for column, text in enumerate(row)])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _cell(sheet: Worksheet, text: str, numeric: bool) -> Cell | int | float | None:
    if not text:
        return None
    if numeric and (number := as_number(text)) is not None:
        return number
    cell = WriteOnlyCell(sheet, escaped(text))
    cell.data_type = "s"  # stored as text, never as a formula or an error
    if looks_like_formula(text):
        cell.quotePrefix = True  # keeps the cell a text when the user edits it
    return cell
