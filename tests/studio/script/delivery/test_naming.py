"""Names of files: what templates say, as every file system takes it, and refused where two would be one."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.errors import BadInput, BadSetting
from studio.script.delivery import Preset
from studio.script.delivery.naming import file_stems, safe_part
from tests.studio.script.delivery.takes import delivered, line

RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)


def stem(template: str = "{character}/{id}_{take:02}", **fields: object) -> str:
    return file_stems([line(**fields)], Preset(template=template, plain_names=False))[0]  # type: ignore[arg-type]


def test_the_template_is_filled() -> None:
    assert stem(take=7) == "Ahri/A2_0141_07"
    assert stem("{scene}/{language}-{voice}-{engine}-{seed}-{emotion}", scene="S1", seed=42) == "S1/en-_-_-42-_"
    assert stem("{{{id}}}") == "{A2_0141}"


@pytest.mark.parametrize(
    "template",
    [
        "{id.__class__}",
        "{id[0]}",
        "{0}",
        "{}",
        "{audio}",
        "{id!r}",
        "{id:>99999999}",
        "{take:999999999}",
        "{id",
        "/{id}",
    ],
)
def test_a_template_holds_plain_fields_alone(template: str) -> None:
    with pytest.raises(BadSetting):
        stem(template)


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("CON", "_CON"),
        ("con.wav", "_con.wav"),
        ("COM¹", "_COM¹"),
        ("end. .", "end"),
        ("..", "_"),
        ("../../etc/passwd", "_.._etc_passwd"),
        ("C:\\Windows", "C__Windows"),
        ("a\0b\nc", "a_b_c"),
        ("e\u0301", "é"),
        ("=cmd|' /C calc'!A0", "_cmd_' _C calc'!A0"),
        ("-rf", "_rf"),
        ("\u202egpj.exe", "_gpj.exe"),
    ],
)
def test_names_are_made_safe(id: str, name: str) -> None:
    assert stem("{id}", id=id) == name


def test_engines_get_letters_digits_and_lines_alone() -> None:
    assert safe_part("Ähri's line (2).take", plain=True) == "Ähri_s_line__2__take"


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("VO/ahri\\hello.WAV", "VO/ahri/hello"),
        ("../../up.wav", "up"),
        ("/etc/passwd", "etc/passwd"),
        ("C:\\x\\y.mp3", "C_/x/y"),
        ("", "Ahri/A2_0141_01"),
    ],
)
def test_the_sheets_own_names_stay_within_the_delivery(filename: str, name: str) -> None:
    assert file_stems([line(filename=filename)], Preset(sheet_names=True)) == [name]


@pytest.mark.parametrize(
    ("first", "second"), [("a1", "A1"), ("é", "e\u0301"), ("a?b", "a_b"), ("straße", "STRASSE"), ("x", "x.wav")]
)
def test_names_that_some_file_system_takes_for_one_are_refused_before_anything_is_written(
    first: str, second: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match="two files have the same name"):
        delivered([line("one", filename=first), line("two", filename=second)], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_file_where_another_needs_a_folder_is_refused(tmp_path: Path) -> None:
    lines = [line("x", character="manifest.csv"), line("manifest")]
    with pytest.raises(BadInput, match="the folder of"):
        delivered(lines, tmp_path / "out", Preset(template="{character}/{id}", plain_names=False))
    assert not (tmp_path / "out").exists()


def test_a_line_may_not_take_the_name_of_a_sidecar(tmp_path: Path) -> None:
    lines = [line("a", character="x"), line("b", character="x.srt", filename="x.srt/b")]
    preset = Preset(sheet_names=True, template="{character}", plain_names=False)
    with pytest.raises(BadInput, match="the folder of"):
        delivered(lines, tmp_path / "out", preset)


def test_names_too_long_to_be_unpacked_anywhere_are_refused() -> None:
    with pytest.raises(BadInput, match="shorten"):
        stem("/".join(["{character}"] * 5), character="long" * 20)
    assert len(stem("{id}", id="ü" * 500).encode()) <= 120


@given(st.text(), st.text(), st.text(), st.booleans(), st.booleans())
def test_no_value_leads_out_of_the_delivery(
    id: str, character: str, filename: str, sheet_names: bool, plain: bool
) -> None:
    preset = replace(Preset(), sheet_names=sheet_names, plain_names=plain)
    (name,) = file_stems([line(id, character=character[:60], filename=filename[:60])], preset)
    for part in name.split("/"):
        assert part.strip(" .") == part and part and not RESERVED.match(part)
        assert not set(part) & set('<>:"\\|?*\0\n\r\t') and part[0] not in "=+-@"
