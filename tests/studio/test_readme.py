"""Run the programs of README and docs/api.md unchanged against a real studio, and check their sound."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.serving import ROOT, Served
from tests.studio.test_openai import duration_s

SECTION = (ROOT / "README.md").read_text("utf-8").partition("## Use it from a program")[2].partition("\n## ")[0]
API = (ROOT / "docs" / "api.md").read_text("utf-8").partition("\n## Recipes")[0]
PROGRAMS = re.findall(r"```python\n(.*?)```", SECTION + API, re.DOTALL)
ADDRESS = "127.0.0.1:7860"


def run(program: str, served: Served) -> dict[str, Any]:
    """What the program's names stand for once it is through."""
    names: dict[str, Any] = {}
    exec(program.replace(ADDRESS, served.url.removeprefix("http://")), names)
    return names


def test_there_is_a_program_for_each_way() -> None:
    assert [program.split()[1] for program in PROGRAMS] == ["openai", "numpy", "json", "gradio_client"]
    assert [ADDRESS in program for program in PROGRAMS] == [True, False, True, True]  # Triton's has a test of its own


def test_the_openai_client_writes_a_line(
    speaking_studio: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(PROGRAMS[0], speaking_studio)
    assert 0.5 < duration_s((tmp_path / "line.mp3").read_bytes(), "mp3") < 4


def test_a_websocket_brings_samples(speaking_studio: Served) -> None:
    samples = np.frombuffer(run(PROGRAMS[2], speaking_studio)["sound"], "<i2")
    assert 0.5 < len(samples) / 24_000 < 5
    assert np.abs(samples).max() > 1_000


def test_gradios_client_keeps_a_take(speaking_studio: Served) -> None:
    take = run(PROGRAMS[3], speaking_studio)["take"]
    assert take["order"]["text"] == "The bridge is out.", take
