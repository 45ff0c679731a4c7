"""Output of the commands, and content that is never in a backup."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from studio.data.contents import DATABASE, KEPT
from studio.settings import Settings
from tests.browser.serving import ROOT
from tests.engines.metronome import Metronome
from tests.studio.data.folders import fill_folder, run_command
from tests.studio.house import served, studio_of, web

CANARY = "canary-7f3a9c"
SECRETS = {
    "STUDIO_LOGIN": f"ann:{CANARY}-login",
    "STUDIO_API_KEYS": f"game:{CANARY}-key-of-a-program",
    "HF_TOKEN": f"hf_{CANARY}",
    "AWS_SECRET_ACCESS_KEY": f"{CANARY}-aws",
    "AWS_ACCESS_KEY_ID": f"{CANARY}-id",
}
ROW = re.compile(r"^\| (`[^|]+) \| [^|]+ \| (yes|no) \|$", re.MULTILINE)


def test_backup_check_and_restore_say_what_they_did(tmp_path: Path) -> None:
    data = fill_folder(tmp_path / "data")
    archive, new = tmp_path / "backup.tar", tmp_path / "new"
    backed_up = run_command("backup", archive, environment={"STUDIO_DATA_DIR": str(data)})
    assert (backed_up.returncode, backed_up.stdout[: len(f"{archive}: ")]) == (0, f"{archive}: "), backed_up.stderr
    assert re.fullmatch(r"(backing up, [\d.]+ \w+, \d+%\n)+", backed_up.stderr)
    checked = run_command("check", archive)
    assert (checked.returncode, "is complete and undamaged: 23 files" in checked.stdout) == (0, True), checked
    restored = run_command("restore", archive, new)
    assert (restored.returncode, f"STUDIO_DATA_DIR={new}" in restored.stdout) == (0, True), restored
    assert archive.stat().st_mode & 0o077 == 0


@pytest.mark.long
def test_secrets_of_the_environment_are_not_in_a_backup(tmp_path: Path) -> None:
    data = fill_folder(tmp_path / "data")
    login = SECRETS["STUDIO_LOGIN"]
    settings = Settings(data_dir=data, login=login, api_keys=SECRETS["STUDIO_API_KEYS"])
    with studio_of(tmp_path, Metronome(), settings=settings) as studio, served(web(studio)) as url:
        user, _, password = login.partition(":")
        answer = httpx.post(f"{url}/studio/login", json={"user": user, "password": password})
        assert answer.status_code == 200, answer.text
    (data / ".env").write_text("\n".join(f"{name}={value}" for name, value in SECRETS.items()))
    environment = {**SECRETS, "STUDIO_DATA_DIR": str(data)}
    assert run_command("backup", tmp_path / "backup.tar", environment=environment).returncode == 0
    with closing(sqlite3.connect(data / DATABASE)) as database:
        assert database.execute("SELECT count(*) FROM owner_login").fetchone() == (1,)  # the login left a row
    assert (tmp_path / "backup.tar").read_bytes().count(CANARY.encode()) == 0


def test_the_documentation_lists_every_folder_and_whether_a_backup_contains_it(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "operations.md").read_text("utf-8")
    listed = {name: answer for names, answer in ROW.findall(page) for name in re.findall(r"`([\w.-]+)[/*]?`", names)}
    assert {name for name, answer in listed.items() if answer == "yes"} == {
        *KEPT,
        DATABASE,
        f"{DATABASE}-wal",
        f"{DATABASE}-shm",
    }
    with studio_of(tmp_path, Metronome(), settings=Settings(data_dir=fill_folder(tmp_path / "data"))) as studio:
        studio.disk.fill_reserve()
        made = {path.name for path in (tmp_path / "data").iterdir() if not path.name.startswith(DATABASE)}
    assert made <= listed.keys()


def test_a_folder_without_a_studio_is_refused(tmp_path: Path) -> None:
    done = run_command("backup", tmp_path / "backup.tar", environment={"STUDIO_DATA_DIR": str(tmp_path / "none")})
    assert (done.returncode, "has no studio.sqlite; check STUDIO_DATA_DIR" in done.stderr) == (1, True)
    assert not (tmp_path / "none").exists()
