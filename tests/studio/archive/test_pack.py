"""Packing: the same bytes everywhere, readable everywhere, whole or not there."""

import json
import os
import re
import subprocess
import sys
import tarfile
import threading
from pathlib import Path

import pytest

from engines.errors import Cancelled
from engines.types import Progress
from studio.archive import LIMITS, pack, verify
from studio.champion_format.champion import BadChampion
from studio.champion_format.members import SHIM, Member, identity
from studio.disk.database import NotSaved
from tests.studio.archive.archives import base, contents, files, pack_now, silent, tuned, unpack_now

ROOT = Path(__file__).parents[3]
MIB = 2**20
KILLS = 20


def test_what_was_packed_comes_back_byte_for_byte(tmp_path: Path) -> None:
    members = tuned({"portrait.png": b"\x89PNG\r\n\x1a\npicture", "reference.txt": "one, zwöi\r\n drei ".encode()})
    packed = pack_now(files(tmp_path / "members", members), tmp_path / "yasuo.tar.gz")
    unpacked = unpack_now(tmp_path / "yasuo.tar.gz", tmp_path / "staged")
    assert contents(tmp_path / "staged", members) == members
    assert identity(unpacked.members.values()) == packed.identity


def test_an_archive_is_what_tar_and_gzip_read(tmp_path: Path) -> None:
    pack_now(files(tmp_path / "members", base()), tmp_path / "ahri.tar.gz")
    listed = subprocess.run(["tar", "-tzf", tmp_path / "ahri.tar.gz"], capture_output=True, check=True, text=True)
    assert listed.stdout.split() == [
        "1/",
        "1/model.py",
        "config.pbtxt",
        "metadata.json",
        "reference.txt",
        "reference.wav",
    ]
    with tarfile.open(tmp_path / "ahri.tar.gz") as archive:
        assert archive.extractfile("reference.wav").read() == base()["reference.wav"]  # type: ignore[union-attr]


@pytest.mark.parametrize("size", [0, 1, 511, 512, 65_534, 65_535, 65_536, 3 * MIB + 7])
def test_weights_of_any_size_come_back(size: int, tmp_path: Path) -> None:
    weights = b"PK" + os.urandom(size)
    pack_now(files(tmp_path / "members", tuned({"model.pt": weights})), tmp_path / "yasuo.tar.gz")
    unpack_now(tmp_path / "yasuo.tar.gz", tmp_path / "staged")
    assert (tmp_path / "staged" / "model.pt").read_bytes() == weights


def test_the_identity_counts_the_voice_and_not_what_serves_it(tmp_path: Path) -> None:
    members = files(tmp_path / "members", base())
    packed = pack_now(members, tmp_path / "ahri.tar.gz")
    shim = [Member(name, "0" * 64, 1) for name in SHIM]
    assert packed.identity == identity([*unpack_now(tmp_path / "ahri.tar.gz", tmp_path / "s").members.values(), *shim])
    members["reference.txt"].write_bytes(b"one two four")
    assert pack_now(members, tmp_path / "ahri.tar.gz").identity != packed.identity


PACKER = """
import os, sys, threading, time
from pathlib import Path
from studio.archive import pack
os.umask(int(sys.argv[3], 8))
folder = Path(sys.argv[1])
members = {path.name: path for path in sorted(folder.iterdir(), reverse=sys.argv[4] == "reverse")}
for path in members.values():
    os.utime(path, (float(sys.argv[5]), float(sys.argv[5])))
print(pack(members, Path(sys.argv[2]), lambda progress: None, threading.Event()).sha256)
"""


@pytest.mark.long
def test_another_machine_user_and_day_give_the_same_archive(tmp_path: Path) -> None:
    files(tmp_path / "members", tuned({"model.pt": b"PK" + bytes(range(256)) * 999}))
    settings = [
        ({"TZ": "UTC", "LANG": "C", "USER": "anna", "LOGNAME": "anna"}, "022", "forward", "1"),
        (
            {"TZ": "Asia/Kathmandu", "LANG": "tr_TR.UTF-8", "USER": "otto", "PYTHONHASHSEED": "7"},
            "077",
            "reverse",
            "2e9",
        ),
    ]
    hashes = []
    for number, (environment, *arguments) in enumerate(settings):
        target = tmp_path / f"{number}.tar.gz"
        command = [sys.executable, "-c", PACKER, tmp_path / "members", target, *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | environment, capture_output=True, check=True, text=True
        )
        hashes.append(done.stdout)
    assert hashes[0] == hashes[1]
    assert (tmp_path / "0.tar.gz").read_bytes() == (tmp_path / "1.tar.gz").read_bytes()


def test_progress_is_reported_in_order_up_to_the_end(tmp_path: Path) -> None:
    reports: list[Progress] = []
    members = files(tmp_path / "members", tuned({"model.pt": b"PK" + bytes(8 * MIB)}))
    pack(members, tmp_path / "yasuo.tar.gz", reports.append, threading.Event())
    fractions = [progress.fraction for progress in reports]
    assert fractions == sorted(fractions) and fractions[-1] == 1.0 and len(fractions) > 8
    assert " MB of 8.4" in reports[-1].message


def test_progress_of_a_small_archive_is_told_in_its_own_unit(tmp_path: Path) -> None:
    reports: list[Progress] = []
    members = files(tmp_path / "members", tuned({"model.pt": b"PK" + bytes(8_000)}))
    pack(members, tmp_path / "yasuo.tar.gz", reports.append, threading.Event())
    assert re.fullmatch(r"packing: (\S+ KB) of \1", reports[-1].message)


def test_a_stopped_packing_leaves_the_older_archive_as_it_was(tmp_path: Path) -> None:
    members = files(tmp_path / "members", tuned({"model.pt": b"PK" + bytes(8 * MIB)}))
    target, stop = tmp_path / "out" / "yasuo.tar.gz", threading.Event()
    target.parent.mkdir()
    target.write_bytes(b"older")

    def halfway(progress: Progress) -> None:
        if progress.fraction > 0.5:
            stop.set()

    with pytest.raises(Cancelled):
        pack(members, target, halfway, stop)
    assert [path.read_bytes() for path in target.parent.iterdir()] == [b"older"]


@pytest.mark.parametrize("members", [base({"metadata.json": None}), base({"notes.txt": b"x"})])
def test_what_is_no_champion_is_not_packed(members: dict[str, bytes], tmp_path: Path) -> None:
    with pytest.raises(BadChampion, match="; "):
        pack_now(files(tmp_path / "members", members), tmp_path / "out" / "ahri.tar.gz")
    assert not (tmp_path / "out").exists()


def test_what_could_not_be_unpacked_again_is_not_packed(tmp_path: Path) -> None:
    members = files(tmp_path / "members", base({"reference.txt": bytes(LIMITS.members["reference.txt"] + 1)}))
    with pytest.raises(BadChampion, match=r"reference\.txt is larger"):
        pack_now(members, tmp_path / "ahri.tar.gz")


LIMITED = """
import resource, sys, threading
from pathlib import Path
from studio.archive import pack
from studio.disk.database import NotSaved
resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))  # where writing on fails as on a full disk
members = {path.name: path for path in Path(sys.argv[1]).iterdir()}
try:
    pack(members, Path(sys.argv[2]), lambda progress: None, threading.Event())
except NotSaved as error:
    print(error)
"""


def test_a_full_disk_leaves_the_older_archive_as_it_was(tmp_path: Path) -> None:
    files(tmp_path / "members", tuned({"model.pt": b"PK" + bytes(2 * MIB)}))
    target = tmp_path / "out" / "yasuo.tar.gz"
    target.parent.mkdir()
    target.write_bytes(b"older")
    command = [sys.executable, "-c", LIMITED, tmp_path / "members", target]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    assert "the disk is full" in done.stdout
    assert [path.read_bytes() for path in target.parent.iterdir()] == [b"older"]


def test_a_file_system_without_unnamed_files_serves_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    members = files(tmp_path / "members", base())
    usual = pack_now(members, tmp_path / "usual" / "ahri.tar.gz")
    monkeypatch.delattr(os, "O_TMPFILE")
    assert pack_now(members, tmp_path / "other" / "ahri.tar.gz") == usual
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["ahri.tar.gz"]


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    members = files(tmp_path / "members", base())
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotSaved):
        pack_now(members, tmp_path / "file" / "ahri.tar.gz")


# One process imports, and each packer is forked from it: starting Python twenty times would take a minute.
PACKERS_AND_KILLER = """
import itertools, os, random, signal, sys, threading, time
from pathlib import Path
from studio.archive import pack

def pack_once(target):
    members = {path.name: path for path in Path(sys.argv[1]).iterdir()}
    pack(members, target, lambda progress: None, threading.Event())

def pack_on():
    for number in itertools.count():
        pack_once(Path(sys.argv[2]) / f"{number % 3}.tar.gz")

started = time.monotonic()
pack_once(Path(sys.argv[2]).parent / "first.tar.gz")
usual_s, draw = time.monotonic() - started, random.Random(4)
for line in sys.stdin:
    packer = os.fork()
    if not packer:
        pack_on()
    time.sleep(draw.uniform(0.0, 3 * usual_s))
    os.kill(packer, signal.SIGKILL)
    os.waitpid(packer, 0)
    print("killed", flush=True)
"""


@pytest.mark.long
def test_a_killed_packing_leaves_whole_archives_and_nothing_else(tmp_path: Path) -> None:
    members = files(tmp_path / "members", tuned({"model.pt": b"PK" + bytes(24 * MIB)}))
    expected = pack_now(members, tmp_path / "yasuo.tar.gz").sha256
    out = tmp_path / "out"
    out.mkdir()
    command = [sys.executable, "-c", PACKERS_AND_KILLER, tmp_path / "members", out]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        for _ in range(KILLS):
            process.stdin.write(b"pack\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"killed\n"
            for path in out.iterdir():
                assert verify(path, silent, threading.Event()).sha256 == expected
        process.stdin.close()
    assert list(out.iterdir())


GROWTH = """
import json, os, sys, threading
from pathlib import Path
from studio.archive import pack, unpack
from tests.studio.archive.archives import pack_now, unpack_now, vet

def memory(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))

folder = Path(sys.argv[1])
small = {path.name: path for path in (folder / "small").iterdir()}
pack_now(small, folder / "small.tar.gz")
unpack_now(folder / "small.tar.gz", folder / "warm")
before, reports = memory("VmRSS"), []
large = {path.name: path for path in (folder / "large").iterdir()}
Path("/proc/self/clear_refs").write_text("5")  # forget the highest so far
pack(large, folder / "large.tar.gz", reports.append, threading.Event())
(folder / "cold").mkdir()
unpack(folder / "large.tar.gz", folder / "cold", vet, reports.append, threading.Event())
print(json.dumps([memory("VmHWM") - before, len(reports)]))
"""


@pytest.mark.long
def test_large_weights_are_packed_and_unpacked_in_little_memory(tmp_path: Path) -> None:
    files(tmp_path / "small", tuned())
    files(tmp_path / "large", tuned({"model.pt": b"PK"}))
    with (tmp_path / "large" / "model.pt").open("ab") as file:
        file.truncate(512 * MIB)  # holes, which cost no disk; packing stores them all the same
    command = [sys.executable, "-c", GROWTH, tmp_path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    growth, reports = json.loads(done.stdout)
    assert growth < 64 * MIB, f"{growth / MIB:.0f} MiB"
    assert reports > 100
