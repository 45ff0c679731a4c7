"""`python -m studio.champions`: what a shell can do with champions, what it prints, how it ends."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from studio.champion_format.members import METADATA
from studio.champions.__main__ import champions
from studio.champions.commands import main
from studio.champions.library import Library
from studio.champions.saved import SavedChampion
from tests.studio.archive.archives import base, packed, tar, written
from tests.studio.champions.voices import keep

ROOT = Path(__file__).parents[3]
MIB = 2**20


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shelf").mkdir()
    monkeypatch.setenv("STUDIO_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("STUDIO_STORES", f"shelf=folder:{tmp_path / 'shelf'}")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "data")


@pytest.fixture
def kept(library: Library) -> SavedChampion:
    return keep(library)


def run(*arguments: str) -> int:
    return main(arguments, champions)


def shell(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "studio.champions", *arguments]


def environment(tmp_path: Path) -> dict[str, str]:
    return os.environ | {"STUDIO_DATA_DIR": str(tmp_path / "data"), "PYTHONPATH": str(ROOT)}


def test_a_champion_travels_as_a_file_from_shell_to_shell(kept: SavedChampion, tmp_path: Path) -> None:
    def done(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(shell(*arguments), env=environment(tmp_path), capture_output=True, check=False, text=True)

    out = done("pack", "ahri", "-o", "out/a.tar.gz")
    assert out.returncode == 0 and "packing:" in out.stderr and "SHA-256" in out.stdout
    (tmp_path / "data").rename(tmp_path / "older")
    out = done("unpack", "out/a.tar.gz")
    assert out.returncode == 0 and "is saved as ahri" in out.stderr and "saved ahri" in out.stdout
    assert Library(tmp_path / "data").get("ahri").members == kept.members
    assert (tmp_path / "out" / "a.tar.gz").is_file()


def test_an_archive_is_named_like_its_champion(kept: SavedChampion, tmp_path: Path) -> None:
    assert run("pack", "ahri") == 0
    assert (tmp_path / "ahri.tar.gz").is_file()


def test_verify_says_what_an_archive_is(kept: SavedChampion, capsys: pytest.CaptureFixture[str]) -> None:
    run("pack", "ahri")
    assert run("verify", "ahri.tar.gz") == 0
    reported = capsys.readouterr().out
    assert "ahri is complete: a champion without fine-tuned weights" in reported and kept.version in reported


def test_verify_says_what_is_wrong_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path / "a.tar.gz", packed(tar(base({"reference.wav": None}))))
    assert run("verify", "a.tar.gz") == 1
    reported = capsys.readouterr()
    assert "lacks reference.wav" in reported.err and reported.out == ""


def test_verify_needs_no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STUDIO_NONSENSE", "1")
    written(tmp_path / "a.tar.gz", packed(tar(base())))
    assert run("verify", "a.tar.gz") == 0


LOADED = """
import runpy, sys
sys.argv[1:] = {arguments!r}
try:
    runpy.run_module("studio.champions", run_name="__main__")
except SystemExit as left:
    heavy = [name for name in ("torch", "gradio", "engines.scheduling.manager") if name in sys.modules]
    print("left with", left.code, heavy)
"""


@pytest.mark.parametrize("arguments", [["list"], ["verify", "ahri.tar.gz"]])
def test_looking_needs_neither_torch_nor_an_engine_manager(
    arguments: list[str], kept: SavedChampion, tmp_path: Path
) -> None:
    run("pack", "ahri")
    command = [sys.executable, "-c", LOADED.format(arguments=arguments)]
    done = subprocess.run(command, env=environment(tmp_path), capture_output=True, check=True, text=True)
    assert done.stdout.splitlines()[-1] == "left with 0 []"


@pytest.mark.long
def test_wrong_settings_are_one_sentence(tmp_path: Path) -> None:
    wrong = environment(tmp_path) | {"STUDIO_STORES": "shelf=nonsense"}
    done = subprocess.run(shell("list"), env=wrong, capture_output=True, check=False, text=True)
    assert done.returncode == 1
    assert "shelf: unknown kind of store" in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [["pack", "nobody"], ["pack", "../x"], ["unpack", "nothing"], ["push", "nobody", "shelf"], ["pull", "x", "y"]],
)
def test_what_cannot_be_done_is_one_sentence(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 1
    reported = capsys.readouterr()
    assert reported.out == "" and len(reported.err.strip().splitlines()) == 1 and "; " in reported.err


def test_an_archive_is_kept_under_another_id(kept: SavedChampion, library: Library) -> None:
    run("pack", "ahri")
    assert run("unpack", "ahri.tar.gz", "--as", "ahri-2") == 0
    assert {one.champion.id for one in library.list()} == {"ahri", "ahri-2"}


def test_an_archive_replaces_a_champion_only_when_told_to(kept: SavedChampion, library: Library) -> None:
    run("pack", "ahri")
    edited = library.edit(replace(kept.champion, notes="softer"), expected=kept.version)
    assert run("unpack", "ahri.tar.gz") == 1
    assert library.get("ahri") == edited
    assert run("unpack", "ahri.tar.gz", "--over", "ahri") == 0
    assert library.get("ahri") == kept


def test_a_champion_travels_through_a_store(
    kept: SavedChampion, library: Library, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("push", "ahri", "shelf") == 0
    assert "uploaded ahri to shelf" in capsys.readouterr().out
    assert run("list", "shelf") == 0
    assert "up to date in the library" in capsys.readouterr().out
    library.delete("ahri")
    assert run("pull", "ahri", "shelf") == 0
    assert library.get("ahri").members == kept.members


def test_what_is_in_the_store_already_is_not_sent_again(
    kept: SavedChampion, capsys: pytest.CaptureFixture[str]
) -> None:
    run("push", "ahri", "shelf")
    capsys.readouterr()
    assert run("push", "ahri", "shelf") == 0
    assert "nothing to upload" in capsys.readouterr().out


def test_a_dry_run_changes_nothing(kept: SavedChampion, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("push", "ahri", "shelf", "--dry-run") == 0
    assert "upload " in capsys.readouterr().out
    assert not list((tmp_path / "shelf").glob("*.tar.gz"))


def test_the_list_has_a_line_for_each_champion(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = keep(library), keep(library, "yasuo", seed=1)
    assert run("list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert {(line.split()[0], line.split()[-1]) for line in lines} == {
        ("ahri", first.version[:12]),
        ("yasuo", second.version[:12]),
    }


@pytest.mark.long
def test_an_interrupted_packing_ends_with_a_sentence_and_leaves_nothing(library: Library, tmp_path: Path) -> None:
    kept = keep(library)
    with library.staging() as folder:
        library.stage(kept, folder, without=(METADATA,))
        written(folder / METADATA, replace(kept.champion, fine_tuned=True).metadata())
        with written(folder / "model.pt", b"PK").open("ab") as file:
            file.truncate(384 * MIB)
        written(folder / "verified", b"tensors")
        library.publish(folder, expected=kept.version, weights=folder / "verified")
    (tmp_path / "out").mkdir()
    command = [
        "env",
        "--default-signal=INT",
        *shell("pack", "ahri", "-o", "out/a.tar.gz"),
    ]  # a shell may have it ignored
    with subprocess.Popen(command, env=environment(tmp_path), stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        while b"packing" not in process.stderr.read(32):
            pass
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130
    assert said.splitlines()[-1].startswith(b"stopped; ")
    assert list((tmp_path / "out").iterdir()) == []
