"""A sheet from the shell to files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import soundfile

from studio.script.commands import main
from studio.script.format.script import Respelling
from studio.script.scripts import Scripts
from studio.settings import Settings
from studio.studio import Studio
from tests.engines.metronome import Metronome
from tests.studio.house import evenly, studio_of


def run(studio: Studio, *arguments: object) -> int:
    @contextmanager
    def opened() -> Iterator[Scripts]:
        yield studio.scripts

    return main([str(each) for each in ("render", *arguments)], opened)


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    file = tmp_path / "act2.csv"
    file.write_text("id,character,text\nA1,Ahri,one two\nA2,Basil,three\n", "utf-8")
    return file


def test_a_sheet_becomes_files_and_given_again_only_what_changed_is_made(
    studio: Studio, metronome: Metronome, sheet: Path, tmp_path: Path
) -> None:
    assert run(studio, sheet, "--out", tmp_path / "first", "--voice", "anna") == 0
    made = len(metronome.requests)
    sheet.write_text(sheet.read_text("utf-8").replace("three", "drei"), "utf-8")
    assert run(studio, sheet, "--out", tmp_path / "second") == 0
    assert (made, len(metronome.requests)) == (2, 3)
    first, second = ((tmp_path / name / "Ahri" / "A1_01.wav").read_bytes() for name in ("first", "second"))
    assert first == second
    assert soundfile.info(tmp_path / "second" / "Basil" / "A2_02.wav").samplerate == 48_000


def test_a_sheet_is_delivered_to_a_store(
    tmp_path: Path, metronome: Metronome, sheet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "shelf").mkdir()
    stores = (f"shelf=folder:{tmp_path / 'shelf'}",)
    with studio_of(tmp_path, metronome, settings=Settings(data_dir=tmp_path / "data", stores=stores)) as studio:
        assert run(studio, sheet, "--to", "nowhere", "--voice", "anna") == 1
        assert "does not accept deliveries; choose shelf" in capsys.readouterr().err
        assert not metronome.requests
        assert run(studio, sheet, "--to", "shelf", "--voice", "anna") == 0
    kept = next((tmp_path / "shelf" / "deliveries").glob("act2-act2-*.zip"))
    assert capsys.readouterr().out == f"2 files in {kept}\n"


def test_a_line_that_nobody_speaks_is_told_and_the_others_are_delivered(
    studio: Studio, sheet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(studio, sheet, "--out", tmp_path / "out", "--cast", "Ahri=anna") == 1
    assert "A2: no voice for Basil" in capsys.readouterr().err
    assert (tmp_path / "out" / "Ahri" / "A1_01.wav").is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--cast", "Ahri"], "write 'Ahri' as CHARACTER=ID"),
        (["--voice", "nobody"], "champion nobody not found"),
        (["--voice", "anna", "--set", "target_lufs=loud"], "a value in JSON"),
        (["--voice", "anna", "--set", "target_lufs=9"], "the target loudness must be between"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    studio: Studio, sheet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert run(studio, sheet, "--out", tmp_path / "out", *arguments) == 1
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_an_uncertain_encoding_is_refused_until_it_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "act.tsv"
    sheet.write_bytes("id\ttext\nL1\tÉlodie\n".encode("mac_roman"))
    command = [str(sheet), "--voice", "anna", "--out", str(tmp_path / "out")]
    with studio_of(tmp_path, Metronome()) as studio:
        assert run(studio, *command) == 1
        assert "Choose the encoding with --encoding." in capsys.readouterr().err
        assert run(studio, *command, "--encoding", "mac-roman") == 0


@pytest.mark.long
def test_files_have_no_stage_directions_and_no_respelled_words_unless_directions_are_asked_for(tmp_path: Path) -> None:
    sheet = tmp_path / "act.tsv"
    sheet.write_text("id\ttext\nL1\t[shouting] Wait, Ahri (long pause) now\n", "utf-8")
    with studio_of(tmp_path, Metronome(), align=evenly) as studio:
        project = studio.scripts.projects.create("act")["id"]
        studio.scripts.lexicons.replace(project, [Respelling(word="Ahri", spoken="ah ree")])
        assert run(studio, sheet, "--voice", "anna", "--out", tmp_path / "plain") == 0
        assert run(studio, sheet, "--out", tmp_path / "asked", "--directions") == 0
    answer = {name: (next((tmp_path / name).rglob("*.srt"))).read_text("utf-8") for name in ("plain", "asked")}
    assert answer["plain"].splitlines()[2] == "Wait, Ahri now"
    assert answer["asked"].splitlines()[2] == "[shouting] Wait, Ahri (long pause) now"
    manifest = (tmp_path / "plain" / "manifest.csv").read_text("utf-8-sig")
    assert "Wait, Ahri now" in manifest and "shouting" not in manifest and "pause" not in manifest


def test_a_line_of_stage_directions_alone_is_told_and_not_made(
    studio: Studio, metronome: Metronome, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "act.tsv"
    sheet.write_text("id\ttext\nL1\t(laughs)\nL2\tone two\n", "utf-8")
    assert run(studio, sheet, "--voice", "anna", "--out", tmp_path / "out") == 1
    assert (
        "L1: there is nothing to say in this text, only stage directions: (laughs); add words"
        in capsys.readouterr().err
    )
    assert len(metronome.requests) == 1
