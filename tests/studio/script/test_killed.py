"""A render whose process is killed goes on where it was: nothing lost, nothing made twice, no other sound."""

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.engines.metronome import Metronome
from tests.studio.house import studio_of, write_clip
from tests.studio.script.conftest import cast_of, sheet_of

VOICES = ("anna", "ben", "cleo")


def prepared(folder: Path, lines: int) -> None:
    """A project of so many lines, each cast with three voices, with nothing rendered."""
    samples = folder / "samples"
    samples.mkdir(parents=True)
    for voice in VOICES:
        write_clip(samples / f"{voice}.wav")
        (samples / f"{voice}.txt").write_text("one two three four five six", "utf-8")
    with studio_of(folder, Metronome()) as studio:
        project = studio.scripts.projects.create("Act 2")["id"]
        studio.scripts.projects.change(project, cast=cast_of(*VOICES))
        studio.scripts.files.paste(project, sheet_of(*(f"line number {number}" for number in range(lines))), "act2.tsv")


def rendering(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "tests.studio.script.render_process", str(folder)])


def sounds(folder: Path) -> dict[str, bytes]:
    """What was made, by the take's id."""
    return {path.stem: path.read_bytes() for path in (folder / "data" / "takes").glob("*.wav")}


def survives(tmp_path: Path, lines: int, kills: int) -> None:
    folder, undisturbed = tmp_path / "killed", tmp_path / "undisturbed"
    prepared(folder, lines)
    shutil.copytree(folder, undisturbed)
    assert rendering(undisturbed).wait(300) == 0
    draw, made = random.Random(kills), 0
    for kill in range(kills):
        process, most = rendering(folder), (kill + 1) * lines * len(VOICES) // (kills + 1)
        while process.poll() is None and len(sounds(folder)) < most:
            time.sleep(0.02)
        time.sleep(draw.random() * 0.03)  # anywhere between two takes
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL, "it was killed before it was done"
        assert len(sounds(folder)) >= made
        made = len(sounds(folder))
    assert rendering(folder).wait(300) == 0
    assert sounds(folder) == sounds(undisturbed)
    with studio_of(folder, Metronome()) as studio:
        (project,) = studio.scripts.views.projects()
        takes = [
            line["takes"] for line in studio.scripts.views.sheet(project["id"], project["sheets"][0]["id"])["lines"]
        ]
    assert [sorted(take["voice"] for take in each) for each in takes] == [list(VOICES)] * lines
    assert {take["id"] for each in takes for take in each} == sounds(folder).keys()


@pytest.mark.long
def test_a_render_goes_on_after_it_was_killed(tmp_path: Path) -> None:
    survives(tmp_path, lines=12, kills=1)


@pytest.mark.long
def test_100_lines_of_three_voices_survive_20_kills(tmp_path: Path) -> None:
    survives(tmp_path, lines=100, kills=20)
