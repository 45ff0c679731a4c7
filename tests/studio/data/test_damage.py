"""A changed backup is refused, and none of its files appear."""

import io
import random
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from studio.data import writer
from studio.data.backing_up import back_up
from studio.data.checking import check
from studio.data.contents import DATABASE
from studio.data.headers import FileHeader
from studio.data.manifest import FORMAT, BackupFailed, BadBackup
from studio.data.restoring import restore
from studio.data.writer import BackupWriter
from studio.disk.migration import SCHEMA
from tests.studio.data.folders import fill_folder, report_nothing, run_command

SEED = 44
FLIPS, CUTS = 60, 20
Damage = Callable[[bytes, random.Random], bytes]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("whole")
    back_up(fill_folder(folder / "data"), folder / "backup.tar", report_nothing)
    return (folder / "backup.tar").read_bytes()


def refusal(folder: Path, content: bytes) -> str:
    """Return the error of an archive; check that a restoration leaves the folder unchanged."""
    (folder / "backup.tar").write_bytes(content)
    with pytest.raises(BadBackup):
        check(folder / "backup.tar", report_nothing)
    with pytest.raises(BadBackup) as refused:
        restore(folder / "backup.tar", folder / "restored", report_nothing)
    assert [path.name for path in folder.iterdir()] == ["backup.tar"]
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_flipped_bit_anywhere_is_refused(archive: bytes, tmp_path: Path) -> None:
    draw = random.Random(SEED)
    for at in [*(draw.randrange(len(archive)) for _ in range(FLIPS)), *range(len(archive) - 2_600, len(archive), 37)]:
        flipped = bytearray(archive)
        flipped[at] ^= 1 << draw.randrange(8)
        assert refusal(tmp_path, bytes(flipped)), at


def test_a_truncated_backup_is_refused(archive: bytes, tmp_path: Path) -> None:
    draw = random.Random(SEED)
    for length in [0, 1, 511, 512, len(archive) - 1, len(archive) - 1_024, *draw.sample(range(len(archive)), CUTS)]:
        assert "incomplete" in refusal(tmp_path, archive[:length]), length


def test_bytes_after_the_end_are_refused(archive: bytes, tmp_path: Path) -> None:
    assert "damaged" in refusal(tmp_path, archive + b"\0")


def test_a_file_that_is_not_a_backup_is_refused(archive: bytes, tmp_path: Path) -> None:
    assert "not a backup" in refusal(tmp_path, random.Random(SEED).randbytes(10_000))


def with_member(archive: bytes, member: tarfile.TarInfo) -> bytes:
    """Return the archive with another member after the head."""
    return archive[:1_024] + member.tobuf(tarfile.USTAR_FORMAT) + archive[1_024:]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (tarfile.SYMTYPE, "a link"), (tarfile.LNKTYPE, "a link"), (tarfile.CHRTYPE, "a device"),
        (tarfile.BLKTYPE, "a device"), (tarfile.FIFOTYPE, "a pipe"), (tarfile.DIRTYPE, "a folder"),
        (tarfile.CONTTYPE, "damaged"), (tarfile.GNUTYPE_SPARSE, "damaged"), (tarfile.XGLTYPE, "damaged"),
    ],
)  # fmt: skip
def test_a_member_that_is_not_a_file_is_refused(archive: bytes, tmp_path: Path, kind: bytes, message: str) -> None:
    member = tarfile.TarInfo("data/takes/x")
    member.type, member.linkname = kind, "/etc/passwd"
    assert message in refusal(tmp_path, with_member(archive, member))


def forged(*paths: str, schema: int = SCHEMA) -> bytes:
    """Return a backup with correct checksums and with files at these paths."""
    sink = io.BytesIO()
    made = BackupWriter(sink, schema, lambda count: None)
    with Path(__file__).open("rb") as source:
        for path in paths:
            source.seek(0)
            made.add(path, source)
    made.finish(())
    return sink.getvalue()


@pytest.mark.parametrize(
    "path",
    [
        "/etc/cron.d/x", "../x", "takes/../../x", "takes/..", "takes//x", "takes/./x", "takes/x/", "takes", "x", ".env",
        "cache/x", "takes/x\\..\\y", "takes/c:x", "takes/x\n", "takes/\x00x", "", "studio.sqlite/x",
        "studio.sqlite-wal", "takes/" + "../" * 60 + "x",
    ],
)  # fmt: skip
def test_a_path_outside_the_folders_of_a_backup_is_refused(tmp_path: Path, path: str) -> None:
    assert refusal(tmp_path, forged(path))


def test_a_path_that_appears_twice_is_refused(tmp_path: Path) -> None:
    assert "not allowed" in refusal(tmp_path, forged("takes/x", "takes/x"))


def test_a_file_that_claims_to_be_huge_is_refused_without_being_read_into_memory(
    archive: bytes, tmp_path: Path
) -> None:
    head = FileHeader(path="manifest.json", content_bytes=2**32).encoded()
    assert "damaged" in refusal(tmp_path, archive[:1_024] + head + archive[1_024:])


def test_a_backup_without_a_database_is_refused(tmp_path: Path) -> None:
    assert "damaged" in refusal(tmp_path, forged("takes/x"))


def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    assert "damaged" in refusal(tmp_path, forged(DATABASE))


def test_a_row_without_its_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = fill_folder(tmp_path / "data")
    for path in (data / "takes").glob("*.wav"):
        path.unlink()
    finish = BackupWriter.finish
    monkeypatch.setattr(BackupWriter, "finish", lambda self, missing: finish(self, ()))  # says that nothing is missing
    back_up(data, tmp_path / "backup.tar", report_nothing)
    with pytest.raises(BadBackup, match="lacks 2 files, such as takes/"):
        check(tmp_path / "backup.tar", report_nothing)


def test_a_newer_schema_or_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "newer than this studio" in refusal(tmp_path, forged("takes/x", schema=SCHEMA + 1))
    monkeypatch.setattr(writer, "FORMAT", FORMAT + 1)
    assert "newer than this studio" in refusal(tmp_path, forged("takes/x"))


def test_a_head_that_hides_a_newer_schema_is_refused(tmp_path: Path) -> None:
    data = fill_folder(tmp_path / "data")
    with closing(sqlite3.connect(data / DATABASE)) as database:
        database.execute(f"PRAGMA user_version = {SCHEMA + 1}")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    sink = io.BytesIO()
    made = BackupWriter(sink, SCHEMA, lambda count: None)
    made.add_file(DATABASE, data / DATABASE)
    made.finish(())
    (tmp_path / "new").mkdir()
    assert "damaged" in refusal(tmp_path / "new", sink.getvalue())


def test_a_folder_that_is_not_empty_is_refused(archive: bytes, tmp_path: Path) -> None:
    (tmp_path / "backup.tar").write_bytes(archive)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note.txt").write_text("kept")
    for place in ("full", "backup.tar"):
        with pytest.raises(BackupFailed, match="is not empty"):
            restore(tmp_path / "backup.tar", tmp_path / place, report_nothing)
    with pytest.raises(BackupFailed, match="does not exist"):
        restore(tmp_path / "backup.tar", tmp_path / "a" / "b", report_nothing)
    (tmp_path / "empty").mkdir()
    restore(tmp_path / "backup.tar", tmp_path / "empty", report_nothing)
    assert (tmp_path / "full" / "note.txt").read_text() == "kept"


@pytest.mark.long
def test_refusals_of_the_commands_are_one_line_with_exit_code_1(archive: bytes, tmp_path: Path) -> None:
    (tmp_path / "damaged.tar").write_bytes(archive[:-600] + b"x" + archive[-599:])
    for arguments in (
        ("check", tmp_path / "damaged.tar"),
        ("restore", tmp_path / "damaged.tar", tmp_path / "new"),
        ("check", tmp_path / "none.tar"),
        ("check", tmp_path),
        ("backup", tmp_path / "new.tar"),
    ):
        done = run_command(*arguments, environment={"STUDIO_DATA_DIR": str(tmp_path / "data")})
        *progress, last = done.stderr.splitlines()
        assert (done.returncode, done.stdout) == (1, ""), done.stderr
        assert all(line.endswith("%") for line in progress) and "Traceback" not in last
    assert not (tmp_path / "new").exists()
