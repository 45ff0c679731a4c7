"""XLSX: what a person sees in it."""

import io
from dataclasses import replace
from datetime import date, datetime, timedelta

import openpyxl

from studio.script.format.script import SheetForm, Table
from studio.script.tables import read_table, write_table
from tests.studio.script.tables import attacks

NAMES = "".join(f'<c t="str"><v>{name}</v></c>' for name in ("id", "character", "text"))


def saved(*rows: list[object], formats: dict[str, str] | None = None) -> bytes:
    book = openpyxl.Workbook()
    book.active.title = "Cover"
    sheet = book.create_sheet("Act 1")
    for row in rows:
        sheet.append(row)
    for cell, code in (formats or {}).items():
        sheet[cell].number_format = code
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def test_the_first_worksheet_with_content_is_read() -> None:
    table = read_table(saved(["id", "text"], ["L1", "Hello"]), "a.xlsx")
    assert (table.columns, table.rows, table.form.title) == (("id", "text"), (("L1", "Hello"),), "Act 1")


def test_numbers_dates_and_truths_are_as_a_person_sees_them() -> None:
    row = [
        2.5000000000001,
        3.0,
        7,
        0.5,
        datetime(2026, 11, 23),
        datetime(2026, 11, 23, 14, 30),
        timedelta(seconds=90),
        True,
    ]
    data = saved(["id", "text"], row, formats={"C2": "000", "D2": "0%"})
    seen = ("2.5", "3", "007", "50%", "2026-11-23", "2026-11-23T14:30:00", "0:01:30", "TRUE")
    assert read_table(data, "a.xlsx").rows == (seen,)
    assert date.fromisoformat(seen[4])


def test_a_formula_is_its_last_result_and_phonetic_guides_are_left_out() -> None:
    guide = '<c t="inlineStr"><is><t>東京</t><rPh sb="0" eb="1"><t>とうきょう</t></rPh></is></c>'
    cells = f'<c t="str"><f>A1&amp;"x"</f><v>Hello</v></c><c><f>1+1</f></c>{guide}'
    assert read_table(attacks.workbook(f"<row>{NAMES}</row><row>{cells}</row>"), "a.xlsx").rows == (
        ("Hello", "", "東京"),
    )


def test_formulas_without_a_result_and_worksheets_that_do_not_come_in_are_told() -> None:
    cells = "<c t='str'><f>A1</f><v></v></c><c><f>1+1</f></c><c><f>SUM(1,1)</f><v></v></c><c><f>1+1</f><v>2</v></c>"
    (note,) = read_table(attacks.workbook(f"<row>{NAMES}</row><row>{cells}</row>"), "a.xlsx").notes
    assert "2 cells have a formula without a result and were imported empty (first cell: B2)." in note
    book = openpyxl.Workbook()
    for title in ("Act 1", "Act 2", "Props"):
        book.create_sheet(title).append(["id", "text"])
    file = io.BytesIO()
    book.save(file)
    (note,) = read_table(file.getvalue(), "a.xlsx").notes
    assert note.startswith(
        "Only the worksheet Act 1 was imported. Not imported, and not saved with the sheet: Act 2, Props."
    )
    assert read_table(saved(["id", "text"], ["L1", "Hello"]), "a.xlsx").notes == ()


def test_no_cell_is_written_as_a_formula_or_an_error() -> None:
    cells = ("=1+1", "#N/A", "-- wait!", "+1", "TRUE", "12")
    data = write_table(Table(columns=(), rows=(cells,), form=SheetForm(kind="xlsx")))
    sheet = openpyxl.load_workbook(io.BytesIO(data)).active
    assert [(cell.value, cell.data_type) for cell in sheet[1]] == [(text, "s") for text in cells]
    assert [cell.quotePrefix for cell in sheet[1]] == [True, False, True, True, False, False]


def test_a_column_of_numbers_is_written_as_numbers_again() -> None:
    data = saved(["id", "text", "max s"], ["1", "Go", 2.5], ["2", "Now", 3])
    table = read_table(data, "a.xlsx")
    assert table.form.numbers == (2,)
    edited = replace(table, rows=(table.rows[0], ("2", "Now", "about 3")))
    sheet = openpyxl.load_workbook(io.BytesIO(write_table(edited))).active
    assert [[cell.value for cell in row] for row in sheet] == [
        ["id", "text", "max s"],
        ["1", "Go", 2.5],
        ["2", "Now", "about 3"],
    ]
