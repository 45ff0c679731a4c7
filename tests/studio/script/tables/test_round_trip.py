"""What was read is written as it was."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.script.format.script import SheetForm, Table
from studio.script.tables import read_table, write_table

SHEET = (
    'Act 2\n\nLine ID,Speaker,Dialogue,Odd,Max length (s)\nL1,Änna,"Hello, ""you""",-- wait!,2.50\n'
    'L2,Bo,"Two\nlines",=1+1,\nL3,Bo,Go!,007,1e5\n'
)
CELLS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufeff\ufffe\uffff")),
    st.text("'=+-@\t\r\n\"ab ,;|_x000D_", max_size=8),
    st.sampled_from(
        ["=1+1", "-- wait!", "+1", "@you", "'-tis", '"Go!" she said', '"Go, now!"', "_x0041_", "007", "2.50"]
    ),
)
ROWS = st.lists(st.tuples(*[CELLS] * 4), min_size=1, max_size=6)
FORMS = [
    SheetForm(kind="csv"),
    SheetForm(kind="csv", delimiter=";", encoding="utf-8-sig", newline="\n", end=""),
    SheetForm(kind="csv", delimiter="|", encoding="utf-16", quoting="all"),
    SheetForm(kind="tsv"),
    SheetForm(kind="tsv", quoting="breaks", newline="\n", encoding="utf-16-be-sig"),
    SheetForm(kind="tsv", quoting="all"),
    SheetForm(kind="xlsx"),
]
NAMES = ("id", "character", "text", "Unknown to us")


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.kind} {form.quoting} {form.encoding}")
@pytest.mark.parametrize("neutral", [False, True])
@given(rows=ROWS)
@settings(max_examples=60, deadline=None)
def test_cells_that_were_written_are_read_again(form: SheetForm, neutral: bool, rows: list[tuple[str, ...]]) -> None:
    table = Table(columns=NAMES, rows=(*rows, ("1", "Anna", "Hello", "x")), form=replace(form, neutral=neutral))
    written = write_table(table)
    again = read_table(written, f"sheet.{form.kind}")
    assert (again.columns, again.rows) == (table.columns, table.rows) or _was_neutral(table, again)
    assert write_table(again) == written or form.kind == "xlsx"


def _was_neutral(table: Table, again: Table) -> bool:
    """An owner's sheet in which each formula has an apostrophe already reads as a neutral one, and is written so again."""
    apostrophes = tuple(
        tuple(cell.removeprefix("'") if cell != other else cell for cell, other in zip(a, b, strict=True))
        for a, b in zip(table.rows, again.rows, strict=True)
    )
    return not table.form.neutral and again.form.neutral and apostrophes == again.rows


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_an_untouched_sheet_has_the_same_bytes(encoding: str, newline: str, delimiter: str) -> None:
    data = SHEET.replace("Hello,", "Hello ,").replace(",", delimiter).replace("\n", newline).encode(encoding)
    assert write_table(read_table(data, "sheet.csv")) == data


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_the_end_of_the_file_comes_back(end: str) -> None:
    data = b"id,text\n1,Hello" + end.encode()
    assert write_table(read_table(data, "sheet.csv")) == data


def test_a_sheet_with_all_cells_quoted_comes_back_so() -> None:
    data = b'"id","text"\r\n"1","Go"\r\n'
    assert write_table(read_table(data, "sheet.csv")) == data


@pytest.mark.parametrize(
    ("encoding", "line"),
    [
        ("cp932", "こんにちは、元気？またね"),
        ("cp1251", "Привет, как дела?"),
        ("cp1252", "Él comió piñas, ¿qué?"),
        ("cp1252", "Ça va très bien, façade"),
        ("cp1250", "Zażółć gęślą jaźń"),
    ],
)
def test_older_encodings_are_told_from_one_line_and_kept(encoding: str, line: str) -> None:
    data = f"id\ttext\n1\t{line}\n".encode(encoding)
    table = read_table(data, "sheet.tsv")
    assert table.rows == (("1", line),)
    assert write_table(table) == data


def test_a_letter_that_the_encoding_lacks_makes_the_file_utf_8() -> None:
    table = read_table("id,text\n1,Jürgen\n".encode("cp1252"), "sheet.csv")
    edited = write_table(replace(table, rows=(("1", "Łukasz"),)))
    assert edited.decode("utf-8-sig") == "id,text\n1,Łukasz\n"


def test_a_neutral_sheet_has_an_apostrophe_before_each_formula() -> None:
    form = SheetForm(kind="csv", newline="\n", end="\n")
    cells = ("=1+1", "+1", "-- wait!", "@SUM(A1)", "\tx", "'=1", "Go-go")
    text = write_table(Table(columns=(), rows=tuple((cell, "x") for cell in cells), form=form), neutral=True).decode()
    assert text == "'=1+1,x\n'+1,x\n'-- wait!,x\n'@SUM(A1),x\n'\tx,x\n''=1,x\nGo-go,x\n"
