import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.script.format.script import Casting
from studio.studio import Studio
from tests.engines.metronome import Metronome
from tests.studio.house import studio_of


@pytest.fixture
def metronome() -> Metronome:
    return Metronome()


@pytest.fixture
def studio(tmp_path: Path, metronome: Metronome) -> Iterator[Studio]:
    with studio_of(tmp_path, metronome) as made:
        yield made


def sheet_of(*texts: str, character: str = "Ahri") -> str:
    """A sheet as a spreadsheet puts it on the clipboard."""
    sheet = io.StringIO()
    sheet.write("id\tcharacter\ttext\tcolour\n")
    for number, text in enumerate(texts):
        sheet.write(f"L{number}\t{character}\t{text}\tred\n")
    return sheet.getvalue()


def cast_of(*voices: str) -> dict[str, dict[str, tuple[Casting, ...]]]:
    return {"": {"": tuple(Casting(voice=voice) for voice in voices)}}
