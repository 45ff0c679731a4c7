"""On a disk with 0 bytes free every route that writes answers 507, and deleting works and frees space at once."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from studio.composition import compose
from studio.disk.database import NotSaved
from studio.disk.disk_space import RESERVE, DiskReading, DiskSpace
from studio.history import StoredTake
from studio.order import read_order
from studio.settings import Settings
from studio.studio import Studio
from studio.web.session import COOKIE, session_id_of
from tests.engines.metronome import Metronome
from tests.studio.archive.archives import base, packed, tar
from tests.studio.disks import FILLER, fill, mounted
from tests.studio.house import ENGINE, ready, served, studio_of, web, write_clip
from tests.waiting import PATIENCE_S, until

TOKEN = "a" * 22
SESSION = session_id_of(TOKEN)
TRANSCRIPT = "one two three four five six"
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(200_000)
SHEET = "id\ttext\nA1\tHold the gate.\n"


@dataclass(frozen=True, slots=True)
class Cramped:
    """A studio on a small disk, with one thing of each kind."""

    studio: Studio
    owner: httpx.Client
    disk: Path
    clip: Path  # a file elsewhere
    archive: bytes
    take: str
    other: str  # another take
    kept_clip: str
    version: str  # of the champion `ahri`
    project: str
    sheet: str

    def fill(self) -> None:
        """Take the last byte, after the space that SQLite keeps in its log is used up."""
        fill(self.disk)
        for _ in range(3_000):
            if self.owner.post(f"/studio/takes/{self.take}/star", json={"starred": True}).status_code == 507:
                break
        assert shutil.disk_usage(self.disk).free == 0

    def free(self) -> None:
        (self.disk / FILLER).unlink(missing_ok=True)
        self.studio.disk.fill_reserve()

    def speak(self) -> StoredTake:
        window = {"clip_id": self.kept_clip, "start_s": 0.0, "end_s": 4.0, "transcript": TRANSCRIPT}
        order = read_order({"text": "tick tock tick", "engine": ENGINE} | window)
        performance = self.studio.speaking.speak(order, session_id=SESSION)
        assert performance.wait(PATIENCE_S)
        return performance.result()

    def job(self, answer: httpx.Response) -> dict[str, Any]:
        """Return the result of the job that an answer names."""
        assert answer.status_code == 200, answer.text
        deliveries, id = self.studio.scripts.deliveries.jobs, answer.json()["id"]
        known = {job.id: job for job in (*self.studio.champions.jobs.list(), *deliveries.list())}
        job = known[id]
        assert job.wait(PATIENCE_S)
        return {"state": job.state, "error": job.error}


@pytest.fixture(scope="module")
def cramped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cramped]:
    folder = tmp_path_factory.mktemp("cramped")
    with mounted(folder / "data", "size=24m") as disk:
        (disk / "shelf").mkdir()
        settings = Settings(data_dir=disk, engines=(ENGINE,), max_upload_mb=8, stores=f"shelf=folder:{disk}/shelf")
        with (
            studio_of(folder, Metronome(), settings=settings) as studio,
            served(web(studio)) as url,
            httpx.Client(base_url=url, timeout=PATIENCE_S, cookies={COOKIE: TOKEN}) as owner,
        ):
            ready(owner)
            yield furnished(studio, owner, disk, folder)


def furnished(studio: Studio, owner: httpx.Client, disk: Path, folder: Path) -> Cramped:
    clip = write_clip(folder / "clip.wav")
    kept = owner.post("/studio/clips", files={"file": ("clip.wav", clip.read_bytes())}).json()["id"]
    archive = packed(tar(base()))
    form = {"transcript": TRANSCRIPT, "name": "Ahri"}
    owner.post("/v1/voices", files={"file": ("a.wav", clip.read_bytes())}, data=form).raise_for_status()
    version = owner.get("/studio/champions/ahri").json()["version"]
    project = owner.post("/studio/projects", json={"name": "Act 2"}).json()["id"]
    sheet = owner.post(f"/studio/projects/{project}/sheets/paste", json={"text": SHEET}).json()
    select(owner, f"/studio/projects/{project}", sheet["id"])
    studio.disk.fill_reserve()
    made = Cramped(studio, owner, disk, clip, archive, "", "", kept, version, project, sheet["id"])
    return replace(made, take=made.speak().id, other=made.speak().id)


def select(owner: httpx.Client, project: str, sheet: str) -> None:
    """Render the sheet and select its take."""
    owner.patch(project, json={"cast": {"": {"": [{"voice": "ahri"}]}}}).raise_for_status()
    owner.post(f"{project}/render", json={"sheet": sheet}).raise_for_status()
    until(lambda: owner.get(f"{project}/render").json()["state"] == "done")
    (line,) = owner.get(f"{project}/sheets/{sheet}").json()["lines"]
    marks = [{"line": line["key"], "take": line["takes"][0]["id"], "mark": "select"}]
    owner.patch(f"{project}/sheets/{sheet}", json={"marks": marks}).raise_for_status()


@pytest.fixture
def full(cramped: Cramped) -> Iterator[Cramped]:
    cramped.fill()
    yield cramped
    cramped.free()


def voice(full: Cramped) -> httpx.Response:
    form = {"transcript": TRANSCRIPT, "name": "Zed"}
    return full.owner.post("/v1/voices", files={"file": ("zed.wav", full.clip.read_bytes())}, data=form)


def other_clip(full: Cramped) -> httpx.Response:
    content = write_clip(full.clip.with_name("other.wav"), 9.0, seed=5).read_bytes()
    return full.owner.post("/studio/clips", files={"file": ("other.wav", content)})


Door = Callable[[Cramped], httpx.Response]
DOORS: dict[str, Door] = {
    "POST /v1/voices": voice,
    "POST /studio/clips": other_clip,
    "POST clips/mend": lambda full: full.owner.post(
        f"/studio/clips/{full.kept_clip}/mend", json={"start_s": 0.5, "end_s": 3.5, "name": "trim"}
    ),
    "POST takes/star": lambda full: full.owner.post(f"/studio/takes/{full.take}/star", json={"starred": True}),
    "POST takes/folder": lambda full: full.owner.post(
        "/studio/takes/folder", json={"ids": [full.take], "folder": "F" * 60}
    ),
    "POST champions": lambda full: full.owner.post(
        "/studio/champions", json={"take": full.take, "champion": {"id": "zed"}}
    ),
    "PUT champion": lambda full: full.owner.put(
        "/studio/champions/ahri", json={"expected": full.version, "champion": {"notes": "n" * 900}}
    ),
    "PUT portrait": lambda full: full.owner.put(
        "/studio/champions/ahri/portrait", params={"expected": full.version}, content=PICTURE
    ),
    "POST duplicate": lambda full: full.owner.post("/studio/champions/ahri/duplicate", json={"as_id": "yasuo"}),
    "POST import": lambda full: full.owner.post("/studio/champions/import", content=full.archive),
    "POST weights": lambda full: full.owner.post(
        "/studio/champions/ahri/weights", params={"name": "model.pt"}, content=bytes(200_000)
    ),
    "POST projects": lambda full: full.owner.post("/studio/projects", json={"name": "Act 3"}),
    "POST sheets/paste": lambda full: full.owner.post(
        f"/studio/projects/{full.project}/sheets/paste", json={"text": SHEET}
    ),
    "PATCH project": lambda full: full.owner.patch(f"/studio/projects/{full.project}", json={"name": "Act 4"}),
    "PATCH sheet": lambda full: full.owner.patch(
        f"/studio/projects/{full.project}/sheets/{full.sheet}", json={"name": "Scene"}
    ),
    "PUT sheet": lambda full: full.owner.put(
        f"/studio/projects/{full.project}/sheets/{full.sheet}/file", params={"name": "a.csv"}, content=SHEET.encode()
    ),
    "POST trials": lambda full: full.owner.post("/studio/trials", json={"take_a": full.take, "take_b": full.other}),
    "POST render": lambda full: full.owner.post(
        f"/studio/projects/{full.project}/render", json={"sheet": full.sheet, "takes": 2}
    ),
}


@pytest.mark.parametrize("door", DOORS)
def test_a_route_that_writes_answers_507_with_a_sentence(
    full: Cramped, door: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = DOORS[door](full)
    assert answer.status_code == 507, (answer.status_code, answer.text)
    assert answer.headers["content-type"] == "application/problem+json"
    assert "disk" in answer.json()["detail"] and "free some" in answer.json()["detail"]
    assert not [record for record in caplog.records if record.exc_info]


def test_a_take_is_made_and_said_not_to_be_saved(full: Cramped) -> None:
    with pytest.raises(NotSaved, match="the disk is full"):
        full.speak()


JOBS: dict[str, Door] = {
    "package": lambda full: full.owner.post("/studio/champions/ahri/package"),
    "push": lambda full: full.owner.post("/studio/stores/shelf/ahri/push"),
    "deliver": lambda full: full.owner.post(f"/studio/projects/{full.project}/deliver", json={"sheet": full.sheet}),
}


@pytest.mark.parametrize("job", JOBS)
def test_a_job_that_writes_fails_with_a_sentence(full: Cramped, job: str, caplog: pytest.LogCaptureFixture) -> None:
    ended = full.job(JOBS[job](full))
    assert ended["state"] == "failed" and "disk" in ended["error"] and "free some" in ended["error"]
    assert not [record for record in caplog.records if record.exc_info]


def test_refused_requests_leave_no_files(full: Cramped) -> None:
    def files() -> set[Path]:
        return {path for path in full.disk.rglob("*") if path.is_file()}

    before = files()
    for door in DOORS.values():
        door(full)
    assert files() - before == set()


@pytest.mark.parametrize(
    "path",
    [
        "/studio/takes/{take}",
        "/studio/clips/{clip}",
        "/studio/champions/zoe",
        "/studio/projects/{project}",
        "/studio/projects/{other}/sheets/{sheet}",
    ],
)
def test_deleting_works_on_a_full_disk_and_frees_space_at_once(cramped: Cramped, path: str) -> None:
    owner, studio = cramped.owner, cramped.studio
    clip = write_clip(cramped.clip.with_name("third.wav"), 7.0, seed=9).read_bytes()
    form = {"transcript": TRANSCRIPT, "name": "Zoe", "id": "zoe"}
    if "zoe" in path:
        owner.post("/v1/voices", files={"file": ("zoe.wav", clip)}, data=form).raise_for_status()
    project = owner.post("/studio/projects", json={"name": "Gone"}).json()["id"]
    other = owner.post("/studio/projects", json={"name": "Stays"}).json()["id"]
    pasted = "id\ttext\n" + "\n".join(f"L{number}\tHold the gate." for number in range(300))
    for each in (project, other):
        sheet = owner.post(f"/studio/projects/{each}/sheets/paste", json={"text": pasted}).json()["id"]
    names = {
        "take": cramped.speak().id,
        "clip": owner.post("/studio/clips", files={"file": ("third.wav", clip)}).json()["id"],
        "project": project,
        "other": other,
        "sheet": sheet,
    }
    studio.disk.fill_reserve()
    assert (cramped.disk / RESERVE).exists()
    cramped.fill()
    answer = owner.delete(path.format(**names))
    free = shutil.disk_usage(cramped.disk).free
    cramped.free()
    assert answer.status_code == 200, answer.text
    if "sheets" not in path:  # a removed sheet stays a part of its project
        assert free > 0
    assert owner.get(path.format(**names)).status_code in (404, 405)
    assert owner.post(f"{path.format(**names)}/restore").status_code == (200 if "sheets" in path else 404)


def test_the_owner_logs_in_on_a_full_disk(full: Cramped, tmp_path: Path) -> None:
    settings = full.studio.settings.model_copy(update={"login": SecretStr("ann:secret")})
    guarded = replace(full.studio, settings=settings)
    with served(web(guarded)) as url, httpx.Client(base_url=url, timeout=PATIENCE_S) as client:
        assert client.get("/studio/me").json()["owner"] is False
        answer = client.post("/studio/login", json={"user": "ann", "password": "secret"})
        assert answer.status_code == 200, answer.text
        assert client.get("/studio/me").json()["owner"] is True


def test_with_any_free_space_a_champion_is_saved_whole_or_refused(cramped: Cramped) -> None:
    statuses = []
    for pages in range(0, 120, 12):
        fill(cramped.disk, leave_bytes=4_096 * pages)
        answer = voice(cramped)
        statuses.append(answer.status_code)
        if answer.status_code == 201:
            kept = cramped.owner.get(f"/studio/champions/{answer.json()['id']}")
            assert kept.status_code == 200 and kept.json()["duration_s"] == 4.0
    cramped.free()
    assert set(statuses) == {201, 507}


def test_takes_deleted_before_are_dropped_once_space_is_short(cramped: Cramped) -> None:
    take = cramped.speak().id
    cramped.owner.delete(f"/studio/takes/{take}").raise_for_status()
    cramped.studio.disk.maintain()
    assert (cramped.disk / "takes" / f"{take}.wav").exists()
    cramped.fill()
    cramped.studio.disk.maintain()
    assert not (cramped.disk / "takes" / f"{take}.wav").exists()
    assert shutil.disk_usage(cramped.disk).free > 0
    cramped.free()


def test_with_free_space_a_deleted_take_can_be_restored(cramped: Cramped) -> None:
    take = cramped.speak().id
    cramped.owner.delete(f"/studio/takes/{take}").raise_for_status()
    assert cramped.owner.post(f"/studio/takes/{take}/restore").status_code == 200


def test_a_studio_starts_on_a_full_disk_with_its_reserve(tmp_path: Path) -> None:
    with mounted(tmp_path / "data", "size=24m") as disk:
        first = compose(Settings(data_dir=disk))
        first.disk.fill_reserve()
        first.history.close()
        fill(disk)
        again = compose(Settings(data_dir=disk))
        assert list(again.history.list(SESSION)) == []
        again.history.close()


@pytest.mark.parametrize(
    ("free", "total", "low", "short"),
    [
        (900e6, 1e12, True, False),
        (1.1e9, 1e12, False, False),
        (90e6, 1e12, True, True),
        (3e9, 20e9, False, False),
        (90e6, 500e6, False, False),
        (40e6, 500e6, True, False),
        (9e6, 500e6, True, True),
    ],
)
def test_a_disk_is_low_before_it_is_short(free: float, total: float, low: bool, short: bool) -> None:
    reading = DiskReading.of(int(free), int(total))
    assert (reading.low, reading.short) == (low, short)


def test_no_reserve_takes_the_last_space(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "size=24m") as disk:
        space = DiskSpace(disk)
        fill(disk, leave_bytes=300_000)
        space.fill_reserve()
        assert not (disk / RESERVE).exists()
        (disk / FILLER).unlink()
        space.fill_reserve()
        assert 0 < (disk / RESERVE).stat().st_size < 1_000_000
