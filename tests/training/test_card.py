"""The model cards, and the held-out clips they stand on."""

import re
import shutil
from pathlib import Path

import pytest

from engines.base import Checkpoint
from engines.registry import spec
from training.evaluation import figures
from training.evaluation.card import write_card
from training.references import HELDOUT, checkpoint, read_clip, write_clip


@pytest.mark.parametrize("engine", ["f5", "s1"])
def test_the_readme_of_a_checkpoint_is_its_card_with_its_figures(engine: str, tmp_path: Path) -> None:
    folder = shutil.copytree(checkpoint(engine), tmp_path / "checkpoint")
    written = (folder / "README.md").read_text(encoding="utf-8")
    write_card(engine, folder, figures.read(folder))
    assert (folder / "README.md").read_text(encoding="utf-8") == written


@pytest.mark.parametrize("engine", ["f5", "s1"])
def test_the_page_tells_the_likeness_that_the_card_tells(engine: str) -> None:
    answer = re.findall(r"\d\.\d+", spec(engine).likeness(Checkpoint("embedded")))
    card = (checkpoint(engine) / "README.md").read_text(encoding="utf-8")
    assert len(answer) == 3 and set(answer) <= set(re.findall(r"\d\.\d+", card))
    assert spec(engine).likeness(Checkpoint("/a/folder")) == ""


@pytest.mark.parametrize("suffix", [".wav", ".flac"])
def test_a_clip_is_read_as_it_was_written(suffix: str, tmp_path: Path) -> None:
    clip = read_clip(HELDOUT / "slt-low.flac")
    write_clip(tmp_path / f"clip{suffix}", clip)
    assert abs(read_clip(tmp_path / f"clip{suffix}") - clip).max() <= 2 / 32768
