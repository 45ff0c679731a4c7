"""A data folder that cannot be used is refused in one sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio.disk.data_folder import UnusableDataFolder, claimed
from studio.settings import Settings, WrongSettings
from tests.browser.serving import ROOT
from tests.studio.disks import mounted

NOBODY = 65_534


def refusal(data_dir: Path) -> str:
    with pytest.raises(UnusableDataFolder) as refused:
        claimed(data_dir)
    said = str(refused.value)
    assert str(data_dir) in said and said.endswith("choose another STUDIO_DATA_DIR") and "\n" not in said
    return said


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    assert "there is a file of this name" in refusal(tmp_path / "data")
    assert "a part of its path is a file" in refusal(tmp_path / "data" / "below")


def test_folders_above_that_are_missing_are_made(tmp_path: Path) -> None:
    with claimed(tmp_path / "a" / "b" / "data"):
        assert (tmp_path / "a" / "b" / "data").is_dir()


def test_a_name_that_is_too_long_is_named(tmp_path: Path) -> None:
    assert "too long" in refusal(tmp_path / ("d" * 300))


def test_paths_that_cannot_be_resolved_are_named_as_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for path in (str(tmp_path / "loop"), "~nobody-of-this-name/data"):
        monkeypatch.setenv("STUDIO_DATA_DIR", path)
        with pytest.raises(WrongSettings, match="STUDIO_DATA_DIR: the path cannot be resolved"):
            Settings.load()


def test_a_disk_mounted_read_only_is_named(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "ro") as disk:
        assert "read-only" in refusal(disk)
        assert "read-only" in refusal(disk / "data")


def test_a_disk_without_room_for_another_file_is_named(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "size=1m,nr_inodes=1") as disk:
        assert "disk is full" in refusal(disk / "data")


@pytest.mark.skipif(os.geteuid() != 0, reason="acting as another user needs root")
def test_a_folder_of_another_user_is_named(tmp_path: Path) -> None:
    os.seteuid(NOBODY)
    try:
        assert "the user of the studio cannot write there" in refusal(tmp_path)
        assert "the user of the studio cannot write there" in refusal(tmp_path / "data")
    finally:
        os.seteuid(0)


def ended(command: list[str], data_dir: Path) -> tuple[int, list[str]]:
    """Return the exit code of a command and the lines that it wrote to stderr."""
    environment = {**os.environ, "STUDIO_DATA_DIR": str(data_dir), "STUDIO_PORT": "0"}
    done = subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, check=False)
    return done.returncode, done.stderr.decode().splitlines()


@pytest.mark.long
@pytest.mark.parametrize("command", [["app.py"], ["-m", "studio.champions", "list"]])
def test_a_process_without_a_data_folder_ends_with_a_sentence(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "data").write_text("")
    code, lines = ended(command, tmp_path / "data")
    assert (code > 0, len(lines), "there is a file of this name" in lines[-1]) == (True, 1, True), lines
