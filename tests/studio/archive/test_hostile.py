"""Thousands of hostile archives: none writes anything, stays, takes memory, or is refused without a reason."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.studio.archive.archives import base, packed, tar, written
from tests.studio.archive.hostile import KINDS, OUTSIDE, attacks, mutated

ROOT = Path(__file__).parents[3]
ATTACKS = 1_000, pytest.param(10_000, marks=pytest.mark.long)
MUTATIONS, SEED = 300, 20_261_121
MIB = 2**20
GROWTH_MAX = 64 * MIB

# A process of its own, so that what it writes, starts and takes is the archives' doing. Its audit hook hears of every
# file Python opens, makes, moves, links or removes.
UNPACKER = """
import json, os, sys, threading
from pathlib import Path
from studio.archive import unpack
from tests.studio.archive.archives import silent, vet

folder = Path(sys.argv[1])
staged = folder / "staged"
inside = f"{staged}{os.sep}"
outside = []
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGING = ("os.mkdir", "os.rename", "os.link", "os.symlink", "os.remove", "os.rmdir", "os.truncate", "os.chmod", "os.chown")
STARTING = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.fork", "pickle.find_class", "socket.connect")

def heard(event, arguments):
    if event == "open":
        changes = bool(arguments[2] & WRITING) and not isinstance(arguments[0], int)
    else:
        changes = event in CHANGING
    paths = [os.fsdecode(one) for one in arguments if isinstance(one, (str, bytes, os.PathLike))][: 2 if "ink" in event else 1]
    if event in STARTING or (changes and not all(path.startswith(inside) for path in paths)):
        outside.append([event, *map(str, arguments)])

def memory(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))

unpack(folder / "good.tar.gz", staged, vet, silent, threading.Event())
for path in staged.iterdir():
    path.unlink()
archives = sorted((folder / "attacks").iterdir())
before = memory("VmRSS")
Path("/proc/self/clear_refs").write_text("5")  # forget the highest so far
sys.addaudithook(heard)
results = []
for archive in archives:
    try:
        unpack(archive, staged, vet, silent, threading.Event())
        how, reason = "", ""
        for path in staged.iterdir():
            path.unlink()
    except Exception as error:
        how, reason = type(error).__name__, str(error)
    results.append([archive.name, how, reason, os.listdir(staged)])
print(json.dumps({"results": results, "outside": outside, "growth": memory("VmHWM") - before}))
"""


def unpacked(folder: Path, archives: Sequence[tuple[str, bytes]]) -> Mapping[str, Any]:
    """What became of them: `results` of (name, error, reason, what stayed), `outside`, `growth` in bytes."""
    (folder / "attacks").mkdir()
    (folder / "staged").mkdir()
    written(folder / "good.tar.gz", packed(tar(base())))
    for number, (kind, data) in enumerate(archives):
        written(folder / "attacks" / f"{number:05}-{kind}", data)
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", UNPACKER, folder]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr[-2_000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module", params=ATTACKS)
def count(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, count: int) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / OUTSIDE).mkdir()
    written(folder / OUTSIDE / "canary", b"alive")
    return folder


@pytest.fixture(scope="module")
def outcome(folder: Path, count: int) -> Mapping[str, Any]:
    return unpacked(folder, attacks(count, SEED, str(folder / OUTSIDE)))


def test_each_attack_is_refused(outcome: Mapping[str, Any], count: int) -> None:
    expected = {"bad_weights": "BadCheckpoint"}
    wrong = [result for result in outcome["results"] if result[1] != expected.get(result[0][6:], "BadArchive")]
    assert len(outcome["results"]) == count
    assert wrong == []


def test_every_kind_of_attack_took_part(outcome: Mapping[str, Any]) -> None:
    assert {name[6:] for name, *_ in outcome["results"]} == set(KINDS)


def test_each_refusal_is_one_sentence_that_says_what_to_do(outcome: Mapping[str, Any]) -> None:
    reasons = {reason for _, _, reason, _ in outcome["results"]}
    wrong = [reason for reason in reasons if "; " not in reason or not reason.isprintable() or len(reason) > 300]
    assert wrong == []


def test_no_attack_writes_outside_the_staging_folder_or_starts_anything(
    outcome: Mapping[str, Any], folder: Path
) -> None:
    assert outcome["outside"] == []
    assert {path.name for path in folder.iterdir()} == {"attacks", "good.tar.gz", OUTSIDE, "staged"}
    assert [(path.name, path.read_bytes()) for path in (folder / OUTSIDE).iterdir()] == [("canary", b"alive")]


def test_no_attack_leaves_anything_in_the_staging_folder(outcome: Mapping[str, Any]) -> None:
    assert [name for name, _, _, left in outcome["results"] if left] == []


def test_the_attacks_take_little_memory(outcome: Mapping[str, Any]) -> None:
    assert outcome["growth"] < GROWTH_MAX, f"{outcome['growth'] / MIB:.0f} MiB"


@pytest.mark.long
def test_archives_with_changed_headers_are_taken_whole_or_refused_in_words(tmp_path: Path) -> None:
    archives = [("mutated", mutated(Random(f"{SEED} {number}"))) for number in range(MUTATIONS)]
    outcome = unpacked(tmp_path, archives)
    assert {how for _, how, _, _ in outcome["results"]} == {"", "BadArchive"}
    assert outcome["outside"] == [] and not any(left for *_, left in outcome["results"])
