"""A sheet in five languages, rendered and delivered: every file that states a language states the one of its line.

languages.csv states the languages by tag and by name; in 20 lines, the studio detects the language.
"""

import csv
import io
import json
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from defusedxml.ElementTree import fromstring

from studio.languages import primary
from studio.script.delivery import PRESETS
from studio.script.format.script import DeliveryChoice
from studio.script.selects import StaleRule
from studio.script.sheet_edit import CellEdit, SheetEdit
from studio.script.whole_sheet import WholeSheet, select_all
from studio.studio import Studio
from tests.engines.metronome import Metronome
from tests.studio.house import studio_of

SHEET = Path(__file__).parent / "languages.csv"
ROWS = list(csv.DictReader(io.StringIO(SHEET.read_text("utf-8"))))
EXPECTED = {row["id"]: row["expected"] for row in ROWS}
TEXTS = {row["id"]: row["text"] for row in ROWS}
BY_LANGUAGE = "{language}/{character}/{id}"
UNITY_NAMES = {
    "en": "English", "en-GB": "English (United Kingdom)", "en-US": "English (United States)", "de": "German",
    "de-AT": "German (Austria)", "fr": "French", "fr-CA": "French (Canada)", "ja": "Japanese", "ja-JP": "Japanese (Japan)",
    "pt-BR": "Portuguese (Brazil)",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rendered:
    """A sheet with a select in every line."""

    studio: Studio
    project: str
    sheet: str

    def deliver(self, folder: Path, preset: str = "game", stale: StaleRule = "refuse", **choices: object) -> Path:
        choice = DeliveryChoice(preset=preset, choices=choices)
        deliveries = self.studio.scripts.deliveries
        deliveries.into(folder, deliveries.plan(self.project, self.sheet, choice, stale), lambda progress: None)
        return folder


def rendered(studio: Studio, file: Path) -> Rendered:
    asked = WholeSheet(file=file, name=file.name, voices={"": "anna"})
    made = select_all(studio.scripts, asked, lambda progress: None, threading.Event())
    assert not made.failed
    return Rendered(studio, made.project, made.sheet)


@pytest.fixture(scope="module")
def metronome() -> Metronome:
    return Metronome(click_s=0.02)  # of sound for each character


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory, metronome: Metronome) -> Iterator[Studio]:
    with studio_of(tmp_path_factory.mktemp("polyglot"), metronome, languages="en, de, fr, ja, pt-BR") as made:
        yield made


@pytest.fixture(scope="module")
def sheet(studio: Studio) -> Rendered:
    return rendered(studio, SHEET)


@pytest.fixture
def small(studio: Studio, tmp_path: Path) -> Callable[..., Rendered]:
    """Render a sheet of rows with id, text and language; the name of the test names the project."""

    def made(*rows: str) -> Rendered:
        file = tmp_path / f"{tmp_path.name}.csv"
        file.write_text("\n".join(("id,text,language", *rows)), "utf-8")
        return rendered(studio, file)

    return made


def table(folder: Path, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((folder / name).read_bytes().decode("utf-8-sig"), newline="")))


def manifest(folder: Path) -> dict[str, str]:
    return {file["id"]: file["language"] for file in json.loads((folder / "manifest.json").read_text("utf-8"))["files"]}


def chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 12
    while at + 8 <= len(data):
        name, size = struct.unpack_from("<4sI", data, at)
        content = data[at + 8 : at + 8 + size]
        yield (name + content[:4], content[4:]) if name == b"LIST" else (name, content)
        at += 8 + size + size % 2


def metadata(path: Path) -> tuple[str, str]:
    """Return the languages in the INFO list and in the iXML of a file."""
    parts = dict(chunks(path.read_bytes()))
    name, size = struct.unpack_from("<4sI", parts[b"LISTINFO"])
    assert name == b"ILNG"
    return parts[b"LISTINFO"][8 : 8 + size].rstrip(b"\0").decode(), fromstring(parts[b"iXML"]).findtext("ASWG/language")


def split(folder: Path, pattern: str, key: Callable[[Mapping[str, str]], str], delimiter: str = ",") -> dict[str, str]:
    """Return the language of each line by tables that have the language in their name."""
    before, after = pattern.split("*")
    found: dict[str, str] = {}
    for path in folder.glob(pattern):
        rows = csv.DictReader(io.StringIO(path.read_bytes().decode(), newline=""), delimiter=delimiter)
        found |= {key(row): path.name.removeprefix(before).removesuffix(after) for row in rows}
    return found


def wwise(folder: Path) -> dict[str, str]:
    return split(folder, "wwise-*.tsv", lambda row: row["Object Path"].rpartition(">")[2], "\t")


def fmod(folder: Path) -> dict[str, str]:
    rows = [line.split(", ") for line in (folder / "keys.txt").read_text("utf-8").splitlines()]
    return {key: path.split("/")[0] for key, path in rows}


def unreal_strings(folder: Path) -> dict[str, str]:
    return {row["Key"]: row["Language"] for row in table(folder, "unreal-strings.csv")}


def unreal_dialogue(folder: Path) -> dict[str, str]:
    return split(folder, "unreal-dialogue-*.csv", lambda row: row["LocalizationKeys"][2:-2])


def unity(folder: Path) -> dict[str, str]:
    tags = {f"{name}({tag})": tag for tag, name in UNITY_NAMES.items()}
    rows = table(folder, "unity-strings.csv")
    assert {*rows[0]} == {"Key", "Id", "Shared Comments", *tags}
    texts = {row["Key"]: {tags[name]: cell for name, cell in row.items() if name in tags and cell} for row in rows}
    assert {id: list(by_tag.values()) for id, by_tag in texts.items()} == {id: [text] for id, text in TEXTS.items()}
    return {id: next(iter(by_tag)) for id, by_tag in texts.items()}


READERS = {"wwise": (wwise,), "fmod": (fmod,), "unreal": (unreal_strings, unreal_dialogue), "unity": (unity,)}


def test_the_sheet_has_60_lines_in_five_languages() -> None:
    assert len(EXPECTED) == 60
    assert {primary(tag) for tag in EXPECTED.values()} == {"en", "de", "fr", "ja", "pt"}
    assert sum(row["language"] in ("", "auto") for row in ROWS) == 20


def test_the_engine_receives_each_line_in_its_language(sheet: Rendered, metronome: Metronome) -> None:
    spoken = {request.text: request.language for request in metronome.requests.values()}
    assert {id: spoken[text] for id, text in TEXTS.items()} == EXPECTED


@pytest.mark.long
@pytest.mark.parametrize("name", PRESETS)
def test_every_file_of_a_delivery_states_the_language_of_its_line(name: str, sheet: Rendered, tmp_path: Path) -> None:
    preset, folder = PRESETS[name], sheet.deliver(tmp_path / "out", name, template=BY_LANGUAGE)
    assert manifest(folder) == EXPECTED
    rows = table(folder, "manifest.csv")
    assert {row["id"]: row["language"] for row in rows} == EXPECTED
    files = {row["id"]: folder / row["file"] for row in rows}
    assert {id: path.relative_to(folder).parts[0] for id, path in files.items()} == EXPECTED
    if preset.format == "wav":
        assert {id: metadata(path) for id, path in files.items()} == {
            id: (tag, primary(tag)) for id, tag in EXPECTED.items()
        }
    if "srt" in preset.sidecars:
        subtitles = {id: path.with_suffix(".srt").read_text("utf-8").splitlines() for id, path in files.items()}
        assert {id: " ".join(lines[2:]).strip() for id, lines in subtitles.items()} == TEXTS
    for handoff in preset.handoffs:
        for reader in READERS[handoff]:
            assert reader(folder) == EXPECTED, reader.__name__


def test_a_table_is_not_split_if_all_lines_are_in_one_language(small: Callable[..., Rendered], tmp_path: Path) -> None:
    folder = small("A,Halt,de", "B,Lauf,German").deliver(tmp_path / "out")
    assert {path.name for path in folder.iterdir() if path.is_file()} == {
        "manifest.csv", "manifest.json", "wwise.tsv", "keys.txt",
        "unreal-strings.csv", "unreal-dialogue.csv", "unity-strings.csv",
    }  # fmt: skip


def test_an_unknown_language_is_no_column_and_stays_in_the_manifest(
    small: Callable[..., Rendered], tmp_path: Path
) -> None:
    folder = small(
        "A,Hold the gate until sunrise.,Elvish", "B,Haltet das Tor bis zum Morgen.,#N/A", "C,Run,en"
    ).deliver(tmp_path / "out")
    assert [*table(folder, "unity-strings.csv")[0]][3:] == ["English(en)", "German(de)"]
    assert manifest(folder) == {"A": "en", "B": "de", "C": "en"}
    assert [row["sheet: language"] for row in table(folder, "manifest.csv")] == ["Elvish", "#N/A", ""]


def test_a_delivery_states_the_language_of_lines_whose_cell_is_empty(
    small: Callable[..., Rendered], tmp_path: Path
) -> None:
    folder = small("A,Halt,", "B,Run,en-GB").deliver(tmp_path / "out", language="Austrian German")
    assert manifest(folder) == {"A": "de-AT", "B": "en-GB"}


def test_a_stale_take_keeps_the_language_in_which_it_was_spoken(small: Callable[..., Rendered], tmp_path: Path) -> None:
    made = small("A,Halt,de")
    sheets, views = made.studio.scripts.sheets, made.studio.scripts.views
    line = views.sheet(made.project, made.sheet)["lines"][0]["key"]
    sheets.edit(made.project, made.sheet, SheetEdit(cells=[CellEdit(line=line, column=2, value="fr")]))
    assert manifest(made.deliver(tmp_path / "out", stale="deliver")) == {"A": "de"}


def test_a_dialect_is_kept_in_the_delivery_and_spoken_with_the_grammar_of_its_language(
    small: Callable[..., Rendered], metronome: Metronome, tmp_path: Path
) -> None:
    folder = small("A,Ich habe 3 Äpfel.,de-x-dialect").deliver(tmp_path / "out")
    assert manifest(folder) == {"A": "de-x-dialect"}
    assert [*metronome.requests.values()][-1].language == "de-x-dialect"
    assert metadata(next(folder.rglob("*.wav"))) == ("de-x-dialect", "de")
