"""Whatever a sheet holds: nothing is written outside, no table has a formula, every file can be read."""

import csv
import io
import json
import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.errors import BadInput
from studio.script.delivery import DeliveredLine, Preset
from studio.script.delivery.text import csv_text, is_formula, neutral, tsv_text
from tests.studio.script.delivery.takes import WORDS, delivered, line, spoken

TAKE = spoken(1, length_s=0.05, rate=16_000)
PRESET = Preset(sample_rate=16_000, loudness="off")
NASTY = (
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "＝1",
    "a\tb\nc",
    "\0\x1b]0;",
    "\ud800",
)
texts = st.one_of(
    st.sampled_from((*NASTY, "../../up", "..\\up", "/etc/x", "CON", "\ufffe", "]]>", "-->\n\n1")), st.text(max_size=20)
)
lines = st.builds(
    DeliveredLine,
    id=texts,
    character=texts,
    text=texts,
    audio=st.just(lambda: TAKE),
    emotion=texts,
    direction=texts,
    filename=texts,
    scene=texts,
    language=texts,
    notes=texts,
    voice=texts,
    engine=texts,
    words=st.one_of(st.just(()), texts.map(lambda text: (replace(WORDS[0], word=text), *WORDS[1:]))),
    row=st.dictionaries(texts, texts, max_size=2),
)


def runs(cell: str) -> bool:
    """Whether a spreadsheet might calculate it; written anew, not as the code under test does."""
    return bool(re.match(r"\s*[=+\-@＝＋－＠]", cell)) and not re.fullmatch(r"[-+]?[0-9]+(\.[0-9]+)?", cell)


@settings(max_examples=40, deadline=None)
@given(
    lines, st.booleans(), st.booleans(), st.sampled_from(["{character}/{id}_{take:02}", "{id}", "{scene}/{emotion}"])
)
def test_a_hostile_line_stays_in_its_folder_and_its_tables_are_harmless(
    one: DeliveredLine, sheet_names: bool, plain_names: bool, template: str
) -> None:
    preset = replace(PRESET, sheet_names=sheet_names, plain_names=plain_names, template=template)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "inner" / "out"
        report = delivered([one], folder, preset)
        written = sorted(path.relative_to(name).as_posix() for path in Path(name).rglob("*") if path.is_file())
        assert written == sorted(f"inner/out/{path}" for path in report.paths)
        for path in folder.iterdir():
            if path.suffix in (".csv", ".tsv") and not path.name.endswith(".rhubarb.tsv"):
                check_table(path)
        json.loads((folder / "manifest.json").read_text("utf-8"))
        content = (folder / report.files[0].path).read_bytes()
        at = content.index(b"iXML")
        fromstring(content[at + 8 : at + 8 + int.from_bytes(content[at + 4 : at + 8], "little")])
        assert len((folder / "keys.txt").read_bytes().decode().splitlines()) == 1


def check_table(path: Path) -> None:
    text = path.read_bytes().decode()
    delimiter = "\t" if path.suffix == ".tsv" else ","
    quoting = csv.QUOTE_NONE if path.suffix == ".tsv" else csv.QUOTE_MINIMAL
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting))
    assert len(rows) == 2 and len(rows[0]) == len(rows[1])
    assert not [cell for row in rows for cell in row if runs(cell)]


def test_a_collision_of_hostile_names_is_refused_not_overwritten(tmp_path: Path) -> None:
    lines = [line("one", filename="a?"), line("two", filename="a*")]
    with pytest.raises(BadInput, match="two files have the same name"):
        delivered(lines, tmp_path / "out")
    report = delivered(lines, tmp_path / "out", Preset(same_ids="suffix"))
    assert [file.path for file in report.files] == ["a_.wav", "a__2.wav"]


@given(st.one_of(st.sampled_from(NASTY), st.text()))
def test_a_neutral_cell_is_shown_and_never_run(value: str) -> None:
    cell = neutral(value)
    assert not runs(cell) and cell.removeprefix("'").endswith(neutral(cell).removeprefix("'"))


def test_numbers_stay_numbers() -> None:
    assert [neutral(value) for value in ("-23.01", "+4", "-", "-1+1")] == ["-23.01", "+4", "'-", "'-1+1"]
    assert not is_formula("a=1")


def test_a_cell_cannot_make_rows_or_columns_of_its_own() -> None:
    assert tsv_text([("a\tb", "c\r\nd\u2028e")]) == "a b\tc d e\r\n"
    assert list(csv.reader(io.StringIO(csv_text([('a,"b"\r\nc', "d")]), newline=""))) == [['a,"b"\r\nc', "d"]]
