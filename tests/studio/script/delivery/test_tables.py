"""Manifest and tables for engines: as their descriptions say, with golden files, and every path in them exists."""

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from studio.script.delivery import PRESETS, DeliveredLine, DeliveryReport, Preset
from studio.script.delivery.handoffs import keys
from studio.script.delivery.identity import SameIds
from tests.studio.script.delivery.takes import delivered, line

GOLDEN = Path(__file__).parent / "golden"
WWISE_HEADERS = {"Audio File", "Object Path", "Object Type", "Notes"}  # of those that its help lists
LINES = (
    line(direction="shouted over the wind", emotion="angry", notes="first of the act", row={"Level": "7"}),
    line("A2_0142", sound=2, text='She said "run",\nand\tI ran.', character="Basil", level=0.4),
    line("A2_0143", sound=3, text="-- No. =1+1", character="Basil", take=2, language="de"),
)


def delivery(folder: Path, lines: Sequence[DeliveredLine] = LINES, preset: Preset | None = None) -> DeliveryReport:
    return delivered(lines, folder, preset)


def rows(text: str, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


@pytest.mark.parametrize(
    "name",
    [
        "wwise-en.tsv",
        "wwise-de.tsv",
        "keys.txt",
        "unreal-strings.csv",
        "unreal-dialogue-en.csv",
        "unreal-dialogue-de.csv",
        "unity-strings.csv",
    ],
)
def test_tables_are_as_they_were_looked_through(name: str, tmp_path: Path) -> None:
    delivery(tmp_path)
    assert (tmp_path / name).read_bytes() == (GOLDEN / name).read_bytes()


def test_wwise_finds_every_file_from_where_its_table_lies(tmp_path: Path) -> None:
    report = delivery(tmp_path)
    tables = [
        [row.split("\t") for row in table.read_text("utf-8").splitlines()] for table in tmp_path.glob("wwise-*.tsv")
    ]
    header, body = tables[0][0], [row for table in tables for row in table[1:]]
    assert all(table[0] == header for table in tables)
    assert set(header) <= WWISE_HEADERS and all(len(row) == len(header) for row in body)
    assert all((tmp_path / row[0].replace("\\", "/")).is_file() for row in body) and len(body) == len(report.files)
    assert all(
        re.fullmatch(r"<Virtual Folder>\w+\\<Sound Voice>\w+", row[1]) and row[2] == "Sound Voice" for row in body
    )


def test_fmod_finds_every_file_by_a_key_of_its_own(tmp_path: Path) -> None:
    report = delivery(tmp_path)
    answer = [row.split(", ", 1) for row in (tmp_path / "keys.txt").read_text("utf-8").splitlines()]
    assert [path for _, path in answer] == [file.path for file in report.files]
    assert all((tmp_path / path).is_file() for _, path in answer)
    assert len({key for key, _ in answer}) == len(answer)


def test_unreal_reads_keys_and_texts_with_its_escapes(tmp_path: Path) -> None:
    delivery(tmp_path)
    header, *body = rows((tmp_path / "unreal-strings.csv").read_text("utf-8"))
    assert header[:2] == ["Key", "SourceString"]
    assert body[1][1] == 'She said "run",\\nand\\tI ran.'
    assert all((tmp_path / row[-1]).is_file() for row in body)
    names, *script = rows((tmp_path / "unreal-dialogue-en.csv").read_text("utf-8"))
    script += rows((tmp_path / "unreal-dialogue-de.csv").read_text("utf-8"))[1:]
    assert {"SpokenDialogue", "LocalizationKeys"} <= set(names)
    assert all((tmp_path / row[names.index("AudioFileName")]).is_file() for row in script)
    assert [row[names.index("LocalizationKeys")] for row in script] == [f'("{row[0]}")' for row in body]


def test_unity_has_a_column_for_each_language(tmp_path: Path) -> None:
    delivery(tmp_path)
    header, *body = rows((tmp_path / "unity-strings.csv").read_bytes().decode())
    assert header == ["Key", "Id", "Shared Comments", "English(en)", "German(de)"]
    assert body[1][3] == LINES[1].text and body[1][4] == "" and body[2][4].endswith(LINES[2].text)
    assert all((tmp_path / row[2].split(" · ")[-1]).is_file() for row in body)


def test_keys_are_always_ids(tmp_path: Path) -> None:
    assert keys(delivery(tmp_path).files) == ["A2_0141", "A2_0142", "A2_0143"]


@pytest.mark.parametrize("preset", PRESETS)
def test_ids_that_are_one_are_refused_before_anything_is_written(preset: str, tmp_path: Path) -> None:
    with pytest.raises(SameIds, match=r"1 id is used by several lines: L \(2 lines\)"):
        delivery(tmp_path / "twice", [line("L"), line("M"), line("l", take=2)], PRESETS[preset])
    assert not (tmp_path / "twice").exists()


def test_a_table_of_one_engine_alone_comes_with_its_preset(tmp_path: Path) -> None:
    for name, tables in {
        "wwise": {"wwise.tsv"},
        "fmod": {"keys.txt"},
        "unity": {"unity-strings.csv"},
        "plain": set(),
    }.items():
        report = delivery(tmp_path / name, LINES[:1], PRESETS[name])
        assert {path for path in report.paths if "/" not in path} == tables | {"manifest.csv", "manifest.json"}


def test_the_manifest_tells_every_file_and_the_sheets_other_columns(tmp_path: Path) -> None:
    report = delivery(tmp_path)
    header, *body = rows((tmp_path / "manifest.csv").read_bytes().decode("utf-8-sig"))
    assert [row[header.index("file")] for row in body] == [file.path for file in report.files]
    assert [row[header.index("sheet: Level")] for row in body] == ["7", "", ""]
    assert float(body[0][header.index("loudness_lufs")]) == round(report.files[0].loudness_lufs, 2)
    answer = json.loads((tmp_path / "manifest.json").read_text("utf-8"))
    assert [file["text"] for file in answer["files"]] == [line.text for line in LINES]
    assert all((tmp_path / path).is_file() for file in answer["files"] for path in (file["file"], *file["sidecars"]))


def test_a_text_that_begins_as_a_formula_does_is_neutralised_and_told(tmp_path: Path) -> None:
    report = delivery(tmp_path)
    assert report.flags[0].startswith("1 text of the sheet could be read as a formula.")
    assert rows((tmp_path / "unreal-strings.csv").read_text("utf-8"))[3][1] == "'-- No. =1+1"


def test_what_was_not_chosen_is_not_written(tmp_path: Path) -> None:
    report = delivery(tmp_path, preset=replace(Preset(), sidecars=("srt",), handoffs=("fmod",)))
    on_disk = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert on_disk == list(report.paths)
    assert {Path(path).suffix for path in on_disk} == {".wav", ".srt", ".csv", ".json", ".txt"}
