"""Unpacking: what others made in this layout is taken, what is wrong is refused in words, what fails leaves nothing."""

import gzip
import io
import json
import random
import subprocess
import sys
import tarfile
import threading
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engines.errors import BadCheckpoint, Cancelled
from engines.types import Progress
from studio.archive import ArchiveLimits, BadArchive, renew, unpack, verify
from studio.champion_format.members import WEIGHTS, identity
from studio.champions.library import Library
from tests.studio.archive.archives import (
    BASE,
    EARLIER,
    END,
    FOLDER,
    PAX_GLOBAL,
    SOUND,
    base,
    by_tarfile,
    contents,
    entry,
    files,
    pack_now,
    packed,
    pax,
    silent,
    sound,
    tar,
    tuned,
    unpack_now,
    vet,
    written,
)

ROOT = Path(__file__).parents[3]
MIB = 2**20
KILLS = 20

MACOS = packed(
    entry("./._reference.wav", b"attributes"),
    pax({"mtime": b"1763700000.5", "LIBARCHIVE.creationtime": b"1", "SCHILY.fflags": b"hidden"}),
    entry("./reference.wav", SOUND),
    entry("./.DS_Store", b"x"),
    entry("__MACOSX/", kind=FOLDER),
    entry("__MACOSX/._reference.txt", b"x"),
    pax({"LIBARCHIVE.xattr.com.apple.quarantine": b"x=y\nz", "atime": b"3"}),
    tar(base({"reference.wav": None}), "./"),
)

BGZIP_END = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")


def cut_into_members(data: bytes, size: int) -> bytes:
    return b"".join(gzip.compress(data[start : start + size]) for start in range(0, len(data), size))


ACCEPTED = {
    "the plain layout": packed(tar(base())),
    "in a folder": packed(entry("ahri/", kind=FOLDER), tar(base(), "ahri/")),
    "in a folder that is not listed": packed(tar(base(), "ahri/")),
    "in a folder of another script": packed(tar(base(), "阿狸/")),
    "in a folder called 1": packed(tar(base({"1/model.py": b"x"}), "1/")),
    "with ./ before each name": packed(entry("./", kind=FOLDER), tar(base(), "./")),
    "with ./ and a folder": packed(entry("./ahri/", kind=FOLDER), tar(base(), "./ahri/")),
    "with what macOS adds": MACOS,
    "with what Windows, KDE and Synology add": packed(
        entry("ahri/", kind=FOLDER),
        entry("ahri/Thumbs.db", b"\xd0\xcf\x11\xe0"),
        entry("ahri/Desktop.ini", b"x"),
        entry("ahri/ehthumbs_vista.db", b"x"),
        entry("ahri/.directory", b"x"),
        entry("ahri/@eaDir/", kind=FOLDER),
        entry("ahri/@eaDir/reference.wav@SynoEAStream", b"x"),
        entry("$RECYCLE.BIN/", kind=FOLDER),
        entry("System Volume Information/tracking.log", b"x"),
        tar(base(), "ahri/"),
    ),
    "with what disks of macOS hold": packed(
        entry(".Trashes/", kind=FOLDER),
        entry(".fseventsd/0", b"x"),
        entry("Icon\r", b""),
        entry(".localized"),
        entry("._ahri", b"x"),
        tar(base()),
    ),
    "of gzip members that end within a block": cut_into_members(tar(base()) + END, 700),
    "of a gzip member for each block": cut_into_members(tar(base()) + END, 512),
    "of gzip members that end with the archive": gzip.compress(tar(base())) + gzip.compress(END),
    "of an empty gzip member at the end, as by bgzip": packed(tar(base())) + BGZIP_END,
    "of gzip members and padding": gzip.compress(tar(base())) + gzip.compress(END) + bytes(512),
    "by Python, pax": by_tarfile(base()),
    "by Python, GNU, in a folder": by_tarfile(base(), tarfile.GNU_FORMAT, "ahri/"),
    "by Python, USTAR": by_tarfile(base(), tarfile.USTAR_FORMAT),
    "by git archive": packed(pax({"comment": b"0" * 40}, PAX_GLOBAL), tar(base(), "ahri/")),
    "of the oldest kind": packed(*(entry(name, data, b"\0", magic=bytes(8)) for name, data in base().items())),
    "padded by tar": packed(tar(base()), end=bytes(10_240)),
    "padded behind": packed(tar(base())) + bytes(512),
    "with somebody's serving files": packed(tar(base({"1/model.py": b"import os", "config.pbtxt": b"x"}))),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_archives_of_others_are_taken(case: str, tmp_path: Path) -> None:
    unpacked = unpack_now(written(tmp_path / "a.tar.gz", ACCEPTED[case]), tmp_path / "staged")
    assert unpacked.champion.id == "ahri"
    assert contents(tmp_path / "staged", base()) == base()
    assert {path.name for path in (tmp_path / "staged").iterdir()} == set(base())


def test_an_archive_of_very_many_gzip_members_is_refused(tmp_path: Path) -> None:
    (tmp_path / "staged").mkdir()
    archive = written(tmp_path / "a.tar.gz", cut_into_members(tar(base()) + END, 512))
    with pytest.raises(BadArchive, match="too many parts"):
        unpack(archive, tmp_path / "staged", vet, silent, threading.Event(), ArchiveLimits(gzip_members=9))


def test_what_gnu_tar_packs_is_taken(tmp_path: Path) -> None:
    files(tmp_path / "ahri", tuned())
    for number, arguments in enumerate((["-C", "ahri", "."], ["ahri"], ["--format=posix", "ahri"])):
        target = tmp_path / f"{number}.tar.gz"
        subprocess.run(["tar", "-czf", target, *arguments], cwd=tmp_path, check=True)
        assert contents(tmp_path / f"{number}", unpack_now(target, tmp_path / f"{number}").members) == tuned()


def test_files_that_would_run_are_never_kept(tmp_path: Path) -> None:
    evil = tar({"1/model.py": b"import os", "config.pbtxt": b"x"} | base())
    unpacked = unpack_now(written(tmp_path / "a.tar.gz", packed(evil)), tmp_path / "staged")
    assert {path.name for path in (tmp_path / "staged").rglob("*")} == set(base())
    pack_now({name: tmp_path / "staged" / name for name in unpacked.members}, tmp_path / "again.tar.gz")
    with tarfile.open(tmp_path / "again.tar.gz") as archive:
        assert b"TritonPythonModel" in archive.extractfile("1/model.py").read()  # type: ignore[union-attr]


def test_foreign_metadata_is_kept_byte_for_byte(tmp_path: Path) -> None:
    metadata = BASE.replace(b"{", b'{ "trained_by":\t"somebody",')
    unpack_now(written(tmp_path / "a", packed(tar(base({"metadata.json": metadata})))), tmp_path / "staged")
    assert (tmp_path / "staged" / "metadata.json").read_bytes() == metadata


def test_weights_are_vetted_and_stay_byte_for_byte(tmp_path: Path) -> None:
    unpacked = unpack_now(written(tmp_path / "a", packed(tar(tuned()))), tmp_path / "staged")
    assert unpacked.weights is not None and unpacked.weights.parent == tmp_path / "staged"
    assert (tmp_path / "staged" / WEIGHTS).read_bytes() == tuned()[WEIGHTS]


def test_the_weights_are_the_last_thing_reported(tmp_path: Path) -> None:
    archive, reports = written(tmp_path / "a", packed(tar(tuned()))), list[Progress]()
    (tmp_path / "staged").mkdir()
    unpack(archive, tmp_path / "staged", vet, reports.append, threading.Event())
    assert "weights" in reports[-1].message


def test_weights_that_are_refused_leave_nothing(tmp_path: Path) -> None:
    archive = written(tmp_path / "a", packed(tar(tuned({"model.pt": b"cos\nsystem"}))))
    with pytest.raises(BadCheckpoint):
        unpack_now(archive, tmp_path / "staged")
    assert list((tmp_path / "staged").iterdir()) == []


def flac(seconds: float, rate: int = 8_000) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, np.zeros(int(seconds * rate), dtype=np.int16), rate, format="FLAC")
    return file.getvalue()


def of_unknown_length(sound: bytes) -> bytes:
    """A FLAC that, as one written to a pipe, does not say how many samples it has."""
    total = 4 + 4 + 13  # marker, block header, and what is before the 36 bits of it
    return sound[:total] + bytes([sound[total] & 0xF0, 0, 0, 0, 0]) + sound[total + 5 :]


def float_wav(value: float) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, np.full(16_000, value, dtype=np.float32), 8_000, format="WAV", subtype="FLOAT")
    return file.getvalue()


def facts(metadata: Mapping[str, object]) -> bytes:
    """An archive whose metadata says just this."""
    return packed(tar(base({"metadata.json": json.dumps(metadata).encode()})))


REFUSED = {
    "no such file|not found": None,
    "an empty file|is empty": b"",
    "a zip|a zip file": b"PK\x03\x04" + bytes(600),
    "a bare tar|uncompressed tar file": tar(base()) + bytes(1_024),
    "text|not a gzip file": b"hello",
    "gzip of nothing|incomplete": packed(end=b""),
    "gzip of text|damaged": packed(b"hello" * 200),
    "no end mark|incomplete": packed(tar(base()), end=b""),
    "half an end mark|incomplete": packed(tar(base()), end=bytes(512)),
    "a block after half an end mark|damaged": packed(tar(base()), bytes(512), entry("x")),
    "more after the end|extra data at the end": packed(tar(base()), end=bytes(1_024) + tar(base())),
    "more after the gzip stream|extra data at the end": packed(tar(base())) + b"more",
    "a second gzip stream|extra data at the end": packed(tar(base())) * 2,
    "half the head of a second gzip member|extra data at the end": packed(tar(base())) + b"\x1f",
    "a second gzip member that is cut|incomplete": gzip.compress(tar(base())) + gzip.compress(END)[:-1],
    "a second gzip member with a wrong checksum|damaged": gzip.compress(tar(base()))
    + gzip.compress(END)[:-8]
    + bytes(8),
    "a second gzip member of another kind|damaged": gzip.compress(tar(base())) + b"\x1f\x8b\x07" + bytes(60),
    "a gzip member too few|incomplete": gzip.compress(tar(base())),
    "a cut|incomplete": packed(tar(base()))[:-1],
    "a wrong checksum|damaged": packed(tar(base()))[:-8] + bytes(8),
    "no reference|lacks reference.wav": packed(tar(base({"reference.wav": None}))),
    "no words|lacks reference.txt": packed(tar(base({"reference.txt": None}))),
    "no facts|lacks metadata.json": packed(tar(base({"metadata.json": None}))),
    "no weights|model.pt is missing": packed(tar(tuned({"model.pt": None}))),
    "weights of a base champion|does not say": packed(tar(base({"model.pt": b"PK"}))),
    "words in another encoding|reference.txt is not UTF-8 text": packed(
        tar(base({"reference.txt": "zwölf".encode("latin-1")}))
    ),
    "no words in the words|no transcript": packed(tar(base({"reference.txt": b" \n"}))),
    "facts that are no JSON|metadata.json is not valid UTF-8 JSON": packed(tar(base({"metadata.json": b"{"}))),
    "facts that are a list|metadata.json is not a JSON object": packed(tar(base({"metadata.json": b"[]"}))),
    'no kind|metadata.json lacks "model_type"': facts({"champion_id": "ahri"}),
    'another kind|must say "model_type"': facts({"champion_id": "ahri", "model_type": "pickle"}),
    'no id|metadata.json lacks "champion_id"': facts({"model_type": "base"}),
    'an id that is null|metadata.json lacks "champion_id"': facts({"model_type": "base", "champion_id": None}),
    'no statement|"consent" lacks the key "statement"': facts(json.loads(BASE) | {"consent": {"by": "Ann"}}),
    "an id that is none|id has": packed(tar(base({"metadata.json": BASE.replace(b"ahri", b"../x")}))),
    "an unknown file|'weights.bin' does not belong": packed(tar(base({"weights.bin": b"x"}))),
    "an unknown folder|folder 'a/b' does not": packed(tar(base()), entry("a/b/", kind=FOLDER)),
    "one member twice|reference.txt is in the archive twice": packed(tar(base()), entry("./reference.txt", b"x")),
    "two folders|more than one folder": packed(tar(base(), "a/"), entry("b/", kind=FOLDER)),
    "a folder and the root|more than one folder": packed(tar(base()), entry("a/portrait.png", b"x")),
    "two portraits|2 portraits": packed(
        tar(base({"portrait.png": b"\x89PNG\r\n\x1a\n", "portrait.jpg": b"\xff\xd8\xff"}))
    ),
    "a picture that is none|does not match its picture format": packed(
        tar(base({"portrait.png": b"<svg onload='x'/>"}))
    ),
    "a symbolic link|symbolic link": packed(tar(base()), entry("portrait.png", kind=b"2", linkname=b"/etc/passwd")),
    "a hard link|hard link": packed(tar(base()), entry("portrait.png", kind=b"1", linkname=b"reference.wav")),
    "a device|device": packed(entry("reference.wav", kind=b"3"), tar(base())),
    "a pipe|named pipe": packed(entry("reference.wav", kind=b"6"), tar(base())),
    "a sparse file|sparse": packed(entry("model.pt", b"x", b"S"), tar(base())),
    "another name by pax|sets 'path'": packed(pax({"path": b"../x"}), tar(base())),
    "another size by pax|sets 'size'": packed(pax({"size": b"1"}), tar(base())),
    "a sparse file by pax|GNU.sparse": packed(pax({"GNU.sparse.major": b"1"}), tar(base())),
    "a long name|over 100 characters": packed(entry("././@LongLink", b"x" * 200, b"L"), tar(base())),
    "a way out|points outside": packed(entry("../reference.wav", SOUND), tar(base())),
    "a way out behind a folder|points outside": packed(entry("ahri/../../reference.wav", SOUND), tar(base())),
    "an absolute path|absolute": packed(entry("/reference.wav", SOUND), tar(base())),
    "an enormous member|limit is 0.1 MB": packed(entry("reference.txt", size=2**40), tar(base())),
    "a negative size|invalid size": packed(entry("reference.txt", size=-512), tar(base())),
    "sound that is text|not audio": packed(tar(base({"reference.wav": b"hello" * 999}))),
    "sound of another kind|is FLAC": packed(tar(base({"reference.wav": flac(2.0)}))),
    "sound without samples|long, best 3 to 12 s": packed(tar(base({"reference.wav": sound(0.0)}))),
    "half a second|long, best 3 to 12 s": packed(tar(base({"reference.wav": sound(0.5)}))),
    "a cut sound|cut off": packed(tar(base({"reference.wav": SOUND[:-999]}))),
    "no numbers|NaN or infinity": packed(tar(base({"reference.wav": float_wav(float("nan"))}))),
    "a sound bomb|long, best 3 to 12 s": packed(tar(base({"reference_original.flac": flac(300.0)}))),
    "sound of unknown length|long, best 3 to 12 s": packed(
        tar(base({"reference_original.flac": of_unknown_length(flac(2.0))}))
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_is_refused_in_words(case: str, tmp_path: Path) -> None:
    data, archive = REFUSED[case], tmp_path / "a.tar.gz"
    if data is not None:
        written(archive, data)
    with pytest.raises(BadArchive, match="|".join(case.split("|")[1:])) as refused:
        unpack_now(archive, tmp_path / "staged")
    assert list((tmp_path / "staged").iterdir()) == []
    verdict = verify(archive, silent, threading.Event())
    assert not verdict.whole and verdict.sentence == str(refused.value)


def test_a_verdict_says_what_the_archive_is(tmp_path: Path) -> None:
    packed_now = pack_now(files(tmp_path / "members", tuned()), tmp_path / "yasuo.tar.gz")
    verdict = verify(tmp_path / "yasuo.tar.gz", silent, threading.Event())
    assert verdict.whole and verdict.serves
    assert (verdict.sha256, verdict.bytes, verdict.identity) == (
        packed_now.sha256,
        packed_now.bytes,
        packed_now.identity,
    )
    assert "yasuo is complete: a champion with fine-tuned weights" in verdict.sentence


def test_a_verdict_tells_an_archive_without_serving_files(tmp_path: Path) -> None:
    verdict = verify(written(tmp_path / "a", packed(tar(base()))), silent, threading.Event())
    assert verdict.whole and not verdict.serves and "export the archive again" in verdict.sentence


def test_verify_reports_an_archive_whose_code_for_triton_is_outdated(tmp_path: Path) -> None:
    verdict = verify(EARLIER, silent, threading.Event())
    assert (verdict.whole, verdict.serves, verdict.outdated) == (True, True, True)
    assert "can crash Triton under load. Export the archive again." in verdict.sentence
    pack_now(files(tmp_path / "members", base()), tmp_path / "ahri.tar.gz")
    assert not verify(tmp_path / "ahri.tar.gz", silent, threading.Event()).outdated


def test_an_earlier_archive_that_is_packed_again_has_todays_code_for_triton(tmp_path: Path) -> None:
    earlier, todays = (
        verify(EARLIER, silent, threading.Event()),
        pack_now(files(tmp_path / "m", base()), tmp_path / "a"),
    )
    for again in (renewed(tmp_path / "renewed"), packed_again(tmp_path / "again")):
        verdict = verify(again, silent, threading.Event())
        assert (verdict.outdated, verdict.identity, verdict.sha256) == (False, earlier.identity, todays.sha256)


def renewed(target: Path) -> Path:
    renew(EARLIER, target, silent, threading.Event())
    return target


def packed_again(target: Path) -> Path:
    staged = target.with_name("staged")
    pack_now({name: staged / name for name in unpack_now(EARLIER, staged).members}, target)
    return target


def test_a_stopped_unpacking_leaves_nothing(tmp_path: Path) -> None:
    members = files(tmp_path / "members", tuned({"model.pt": b"PK" + bytes(4 * MIB)}))
    pack_now(members, tmp_path / "yasuo.tar.gz")
    (tmp_path / "staged").mkdir()
    stop, reports = threading.Event(), list[Progress]()

    def halfway(progress: Progress) -> None:
        reports.append(progress)
        if progress.fraction > 0.5:
            stop.set()

    with pytest.raises(Cancelled):
        unpack(tmp_path / "yasuo.tar.gz", tmp_path / "staged", vet, halfway, stop)
    assert list((tmp_path / "staged").iterdir()) == []
    assert "unpacking: " in reports[-1].message


LIMITED = """
import resource, sys
from pathlib import Path
from studio.disk.database import NotSaved
from tests.studio.archive.archives import unpack_now
resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))  # where writing on fails as on a full disk
try:
    unpack_now(Path(sys.argv[1]), Path(sys.argv[2]))
except NotSaved as error:
    print(error)
"""


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    pack_now(files(tmp_path / "members", tuned({"model.pt": b"PK" + bytes(2 * MIB)})), tmp_path / "a.tar.gz")
    command = [sys.executable, "-c", LIMITED, tmp_path / "a.tar.gz", tmp_path / "staged"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    assert "the disk is full" in done.stdout
    assert list((tmp_path / "staged").iterdir()) == []


def test_any_change_to_the_contents_is_noticed(tmp_path: Path) -> None:
    pack_now(files(tmp_path / "members", base()), tmp_path / "a.tar.gz")
    whole, draw = (tmp_path / "a.tar.gz").read_bytes(), random.Random(3)
    for _ in range(200):
        at = draw.randrange(11, len(whole))  # before that are gzip's own date and system, and spare bits
        changed = whole[:at] + bytes([whole[at] ^ 1 << draw.randrange(8)]) + whole[at + 1 :]
        with pytest.raises(BadArchive):
            unpack_now(written(tmp_path / "b.tar.gz", changed), tmp_path / "staged")


# One process imports, and each importer is forked from it: starting Python twenty times would take a minute.
IMPORTERS_AND_KILLER = """
import os, random, signal, sys, time
from pathlib import Path
from studio.archive import verify
from studio.champions.library import Library
from tests.studio.archive.archives import unpack_now

def take_in(folder, expected):
    library = Library(folder)
    with library.staging() as staged:
        unpacked = unpack_now(Path(sys.argv[1]), staged)
        return library.publish(staged, expected=expected, weights=unpacked.weights).version

def take_in_again():
    library = Library(Path(sys.argv[2]))
    take_in(Path(sys.argv[2]), library.list()[0].version if library.list() else "")

take_in(Path(sys.argv[2]).parent / "first", "")  # what is imported at the first time is imported here
started = time.monotonic()
take_in(Path(sys.argv[2]).parent / "second", "")
usual_s, draw = time.monotonic() - started, random.Random(4)
for line in sys.stdin:
    importer = os.fork()
    while not importer:
        take_in_again()
    time.sleep(draw.uniform(0.0, 3 * usual_s))
    os.kill(importer, signal.SIGKILL)
    os.waitpid(importer, 0)
    print("killed", flush=True)
take_in_again()
"""


@pytest.mark.long
def test_an_import_that_was_killed_leaves_the_library_whole_each_time(tmp_path: Path) -> None:
    members = tuned({"model.pt": b"PK" + bytes(16 * MIB)})
    packed_now = pack_now(files(tmp_path / "members", members), tmp_path / "yasuo.tar.gz")
    command = [sys.executable, "-c", IMPORTERS_AND_KILLER, tmp_path / "yasuo.tar.gz", tmp_path / "data"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        for _ in range(KILLS):
            process.stdin.write(b"import\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"killed\n"
            library = Library(tmp_path / "data")
            for kept in library.list():
                assert kept.version == packed_now.identity
                assert identity(kept.members.values()) == packed_now.identity
                assert {name: library.path(kept, name).read_bytes() for name in kept.members} == members
        process.stdin.close()
    assert process.returncode == 0 and [kept.version for kept in library.list()] == [packed_now.identity]
