"""Parts of a worksheet besides plain cells: merged cells, hidden rows and columns, number formats, typed formulas."""

import io
from collections.abc import Callable

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from studio.script.format.script import Table
from studio.script.tables import BadSheet, read_table
from studio.script.tables.limits import MAX_ROWS
from tests.studio.script.tables import attacks

NAMES = "".join(f'<c t="str"><v>{name}</v></c>' for name in ("id", "text", "max s"))
LINES = [
    ["id", "character", "text"],
    ["L1", "Anna", "One."],
    ["L2", None, "Two."],
    ["L3", None, "Three."],
    ["L4", "Bo", "Four."],
]


def made(change: Callable[[Worksheet], object], rows: list[list[object]] = LINES) -> Table:
    """Return the table of a workbook with these rows after a change."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    change(book.active)
    file = io.BytesIO()
    book.save(file)
    return read_table(file.getvalue(), "a.xlsx")


def with_format(code: str, value: object) -> str:
    """Return the imported text of a cell with this format."""

    def change(sheet: Worksheet) -> None:
        sheet["A2"].number_format = code

    return made(change, [["id", "text"], [value, "Hello"]]).rows[0][0]


def test_merged_cells_count_for_every_row_that_they_cover() -> None:
    table = made(lambda sheet: sheet.merge_cells("B2:B4"))
    assert [row[1] for row in table.rows] == ["Anna", "Anna", "Anna", "Bo"]


def test_cells_merged_across_columns_count_once_and_a_row_of_merged_cells_alone_is_no_line() -> None:
    rows = [["Act 1", None, None], *LINES[:2], [None, None, None], LINES[4]]

    def change(sheet: Worksheet) -> None:
        sheet.merge_cells("A1:C1")
        for column in "ABC":
            sheet.merge_cells(f"{column}3:{column}4")

    table = made(change, rows)
    assert table.form.above == (("Act 1",),)
    assert table.rows == (("L1", "Anna", "One."), ("", "", ""), ("L4", "Bo", "Four."))


def test_hidden_and_filtered_rows_are_left_out_with_a_note() -> None:
    def change(sheet: Worksheet) -> None:
        sheet.auto_filter.ref = "A1:C5"
        for number in (3, 4, 9):  # the ninth is empty
            sheet.row_dimensions[number].hidden = True

    table = made(change)
    assert [row[0] for row in table.rows] == ["L1", "L4"]
    (note,) = table.notes
    assert note.startswith("2 rows are hidden or filtered out and not imported (first row: 3).")


def test_a_merged_cell_whose_first_row_is_hidden_counts_for_the_rows_that_show() -> None:
    def change(sheet: Worksheet) -> None:
        sheet.merge_cells("B2:B4")
        sheet.row_dimensions[2].hidden = True

    assert [row[:2] for row in made(change).rows] == [("L2", "Anna"), ("L3", "Anna"), ("L4", "Bo")]


def test_hidden_columns_are_left_out_with_a_note_and_columns_of_numbers_keep_their_kind() -> None:
    rows = [["id", "old text", "text", "max s"], ["L1", "Eins.", "One.", 2.5]]

    def change(sheet: Worksheet) -> None:
        sheet.column_dimensions["B"].hidden = True

    table = made(change, rows)
    assert (table.columns, table.rows, table.form.numbers) == (("id", "text", "max s"), (("L1", "One.", "2.5"),), (2,))
    (note,) = table.notes
    assert note.startswith("A column is hidden and not imported: B.")


def test_a_workbook_of_hidden_rows_alone_is_refused() -> None:
    def change(sheet: Worksheet) -> None:
        for number in range(1, 6):
            sheet.row_dimensions[number].hidden = True

    with pytest.raises(BadSheet, match="empty or hidden"):
        made(change)


@pytest.mark.parametrize(
    ("code", "value", "seen"),
    [
        ('"VO_"0000', 7, "VO_0007"),
        ('"VO_"0000', 12345, "VO_12345"),
        ('"VO_"0000;"N_"0', 7, "VO_0007"),
        ("\\L000", 12, "L012"),
        ('"L-"00\\-00', 1234, "L-12-34"),
        ("00\\-00", 7, "00-07"),
        ('0.0" s"', 2.5, "2.5 s"),
        ("000.0", 2.5, "002.5"),
        ('General" s"', 2.5, "2.5 s"),
        ("0.00\\ [$€-407]", 5, "5 €"),
        ('"VO_"@', "a", "VO_a"),
        ('0;0;0;"T "@', "a", "T a"),
        ("#,##0", 12345, "12345"),
        ("[Red]0", 5, "5"),
        ("_-* #,##0_-", 5, "5"),
        ("# ?/?", 2.5, "2.5"),
        ("0.00E+00", 12, "12"),
        ('[<100]"a"0;"b"0', 5, "5"),
    ],
)
def test_literals_of_a_number_format_are_part_of_its_cell(code: str, value: object, seen: str) -> None:
    assert with_format(code, value) == seen


def lengths(*cells: str) -> Table:
    """Return the table of lines whose lengths are these cells of XML."""
    rows = "".join(f'<row><c t="str"><v>L</v></c><c t="str"><v>Go.</v></c>{cell}</row>' for cell in cells)
    return read_table(attacks.workbook(f"<row>{NAMES}</row>{rows}"), "a.xlsx")


def test_a_length_typed_as_a_formula_is_exact_and_a_calculated_one_is_at_most() -> None:
    table = lengths(
        "<c><f>2.5</f><v>2.5</v></c>",
        '<c><f t="shared" si="0" ref="C3:C4">3</f><v>3</v></c>',
        '<c><f t="shared" si="0"/><v>3</v></c>',
        "<c><f>A1*2</f><v>4</v></c>",
        "<c><v>5</v></c>",
    )
    assert [row[2] for row in table.rows] == ["=2.5", "=3", "=3", "4", "5"]
    assert table.notes == ()


def test_a_number_typed_as_a_formula_in_another_column_has_a_note() -> None:
    rows = f"<row>{NAMES}</row><row><c><f>7</f><v>7</v></c><c t='str'><v>Go.</v></c></row>"
    table = read_table(attacks.workbook(rows), "a.xlsx")
    assert table.rows[0][0] == "7"
    (note,) = table.notes
    assert note.startswith("The cell A2 contains a number as a formula, such as =2.5. Only the number")


def test_errors_of_formulas_are_imported_as_shown() -> None:
    table = lengths('<c t="e"><f>VLOOKUP(1,A:A,1)</f><v>#N/A</v></c>', '<c t="e"><v>#REF!</v></c>')
    assert [row[2] for row in table.rows] == ["#N/A", "#REF!"]


def test_merged_cells_past_the_limit_are_refused() -> None:
    merged = "".join(f'<mergeCell ref="A{first}:A{MAX_ROWS}"/>' for first in range(2, 100))
    cells = "".join(f'<row r="{number}"><c><v>1</v></c></row>' for number in range(1, MAX_ROWS))
    sheet = attacks.worksheet(cells).replace("</worksheet>", f"<mergeCells>{merged}</mergeCells></worksheet>")
    with pytest.raises(BadSheet, match="over 300,000 cells"):
        read_table(attacks.zipped(attacks.parts(sheet)), "a.xlsx")
