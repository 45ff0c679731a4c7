"""Run the programs of docs/api.md unchanged against a real studio, and check their audio."""

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.serving import ROOT, Served
from tests.studio.conftest import VOICE
from tests.studio.test_openai import duration_s

API = (ROOT / "docs" / "api.md").read_text("utf-8").partition("\n## Recipes")[0]
PROGRAMS = re.findall(r"```python\n(.*?)```", API, re.DOTALL)
ADDRESS = "127.0.0.1:7860"


def run(program: str, served: Served) -> dict[str, Any]:
    """Run a program and return its variables."""
    names: dict[str, Any] = {}
    exec(program.replace(ADDRESS, served.url.removeprefix("http://")), names)
    return names


def test_there_is_a_program_for_each_way() -> None:
    first = [program.split()[1] for program in PROGRAMS]
    assert first == ["openai", "json", "openai", "json", "gradio_client", "gradio_client"]
    assert all(ADDRESS in program for program in PROGRAMS)


def test_the_openai_client_writes_a_line(
    speaking_studio: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(PROGRAMS[0], speaking_studio)
    assert 0.5 < duration_s((tmp_path / "line.mp3").read_bytes(), "mp3") < 4


@pytest.mark.long
def test_the_openai_client_reads_which_words_are_heard(speaking_studio: Served) -> None:
    report = run(PROGRAMS[1], speaking_studio)["report"]
    assert (report["complete"], report["kept"], report["message"]) == (True, 4, "")


def test_the_openai_client_transcribes_a_line(
    speaking_studio: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(VOICE.with_suffix(".flac"), "line.mp3")  # the format is read from the bytes
    heard = run(PROGRAMS[2], speaking_studio)["heard"]
    assert heard.text.startswith("Welcome to the studio")
    assert [word.word for word in heard.words] == heard.text.split()


def test_a_websocket_brings_samples(speaking_studio: Served) -> None:
    samples = np.frombuffer(run(PROGRAMS[3], speaking_studio)["sound"], "<i2")
    assert 0.5 < len(samples) / 24_000 < 5
    assert np.abs(samples).max() > 1_000


def test_gradios_client_keeps_a_take(speaking_studio: Served) -> None:
    take = run(PROGRAMS[4], speaking_studio)["take"]
    assert take["order"]["text"] == "The bridge is out.", take
