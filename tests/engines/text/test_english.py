"""Spoken forms of English: every row of english.tsv."""

from pathlib import Path

import pytest

from engines.text import parse

ROWS = [
    tuple(line.split("\t"))
    for line in (Path(__file__).parent / "english.tsv").read_text(encoding="utf-8").splitlines()
    if "\t" in line
]


@pytest.mark.parametrize(("written", "spoken"), ROWS, ids=[written for written, _ in ROWS])
def test_the_spoken_form_matches_the_row(written: str, spoken: str) -> None:
    assert parse(written.replace("\\n", "\n")).spoken == spoken


@pytest.mark.parametrize("written", [written for written, _ in ROWS], ids=[written for written, _ in ROWS])
def test_spoken_text_is_read_unchanged(written: str) -> None:
    spoken = parse(written.replace("\\n", "\n")).spoken
    assert parse(spoken).spoken == spoken


def test_no_row_is_repeated() -> None:
    written = [row[0] for row in ROWS]
    assert len(set(written)) == len(written) >= 250
