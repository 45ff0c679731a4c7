"""Champions, archives, stores and their jobs over HTTP, as the session's browser uses them on a loopback studio."""

import io
import json
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import soundfile

from studio.champions.library import Library
from studio.order import Order
from studio.settings import Settings
from studio.studio import Studio
from studio.web.session import COOKIE, session_id_of
from tests.engines.metronome import Metronome
from tests.studio.archive.archives import base, packed, tar
from tests.studio.champions.voices import TRANSCRIPT, keep
from tests.studio.house import ENGINE, ready, served, studio_of, web

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(64)
WAIT_S = 300.0
IMPOSSIBLE: dict[str, dict[str, Any]] = {  # by what is said of it
    "cannot change": {"id": "yasuo"},
    "a champion id": {"id": "../ahri"},
    "no transcript": {"transcript": " "},
    "hex digits": {"colour": "red"},
    "volume": {"settings": {"volume": 3}},
    "a whole number": {"settings": {"steps": 2.5}},
    "speed must be 0.5 to 2, not 9": {"engine": ENGINE, "settings": {"speed": 9}},
    "unknown engine 'nobody'": {"engine": "nobody"},
    "81 characters": {"name": "a" * 81},
    "year-month-day": {"consent": {"by": "Ann", "at": "yesterday", "statement": "Yes."}},
    "consent": {"consent": {"by": "Ann"}},
    "notes": {"notes": "\ud800"},
}
JSON = {"content-type": "application/json"}
FORM = {"content-type": "multipart/form-data; boundary=b"}
EMPTY: dict[str, dict[str, Any]] = {
    "missing; send a file": {"content": b""},
    "send a file, as the body or as the `file` field of a form": {"files": {"archive": ("a.tar.gz", b"x")}},
    "send the file as the body": {"content": b"x", "headers": {"content-type": "multipart/form-data"}},
    "could not be parsed": {"content": b"x" * 99, "headers": FORM},
    "a champion id": {"content": b"x", "params": {"as_id": "../x"}},
}


@dataclass(frozen=True, slots=True)
class Desk:
    """A studio, and its session's browser."""

    studio: Studio
    browser: httpx.Client

    @property
    def library(self) -> Library:
        return Library(self.studio.settings.data_dir)

    @property
    def uploads(self) -> list[Path]:
        """What lies where uploads are stored."""
        return [path for path in (self.studio.settings.data_dir / "uploads").rglob("*") if path.is_file()]

    def take(self, text: str = "tick tock") -> str:
        sample = self.browser.get("/studio/clips").json()["samples"][0]
        order = Order(text=text, clip_id=sample["id"], start_s=0, end_s=3.5, transcript=TRANSCRIPT, engine=ENGINE)
        performance = self.studio.speaking.speak(order, session_id=session_id_of(self.browser.cookies[COOKIE]))
        assert performance.wait(WAIT_S)
        return performance.result().id

    def ended(self, answer: httpx.Response) -> dict[str, Any]:
        """A job as it is told once it is over."""
        assert answer.status_code == 200, answer.text
        due, job = time.monotonic() + WAIT_S, answer.json()
        while job["state"] == "running":
            assert time.monotonic() < due, job
            time.sleep(0.02)
            job = self.browser.get(f"/studio/jobs/{job['id']}").json()
        return job

    def archive(self, id: str = "ahri") -> bytes:
        job = self.ended(self.browser.post(f"/studio/champions/{id}/package"))
        return self.browser.get(job["result"]["archive"]).content


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    stores = f"shelf=folder:{tmp_path / 'shelf'}, bucket=s3://voices/f5?endpoint=https://s3.example:9000"
    (tmp_path / "shelf").mkdir()
    settings = Settings(data_dir=tmp_path / "data", max_upload_mb=1, max_weights_mb=2, stores=stores)
    with (
        studio_of(tmp_path, Metronome(click_s=0.1), settings=settings) as studio,
        served(web(studio)) as url,
        httpx.Client(base_url=url, timeout=WAIT_S) as browser,
    ):
        ready(browser)
        yield Desk(studio, browser)


def test_a_champion_is_told_whole(desk: Desk) -> None:
    kept = keep(desk.library)
    (reported,) = desk.browser.get("/studio/champions").json()
    assert reported == desk.browser.get("/studio/champions/ahri").json()
    assert (reported["id"], reported["title"], reported["version"], reported["original"]) == (
        "ahri",
        "Ahri",
        kept.version,
        True,
    )
    assert (reported["transcript"], reported["votes"]) == (TRANSCRIPT, {"won": 3, "tied": 1, "lost": 2})
    assert reported["consent"]["by"] == "the speaker"
    assert (round(reported["duration_s"], 3), len(reported["peaks"]), reported["portrait"]) == (4.0, 120, None)
    assert reported["bytes"] == sum(member.bytes for member in kept.members.values())


def test_a_take_is_kept_with_everything_filled_in(desk: Desk) -> None:
    take = desk.take("Who goes there?")
    draft = desk.browser.get(f"/studio/drafts/{take}").json()
    assert (draft["id"], draft["line"], draft["engine"]) == ("anna", "Who goes there?", ENGINE)
    answer = desk.browser.post("/studio/champions", json={"take": take, "champion": draft | {"notes": "warm"}})
    assert (answer.status_code, answer.json()["notes"], answer.json()["transcript"]) == (200, "warm", TRANSCRIPT)
    assert [kept.champion.id for kept in desk.library.list()] == ["anna"]


def test_what_a_form_leaves_out_comes_from_the_take(desk: Desk) -> None:
    answer = desk.browser.post("/studio/champions", json={"take": desk.take("Halt"), "champion": {"id": "guard"}})
    assert (answer.json()["line"], answer.json()["transcript"]) == ("Halt", TRANSCRIPT)


def test_an_edit_changes_what_it_names_and_the_older_version_stays(desk: Desk) -> None:
    before = keep(desk.library)
    form = {"notes": "colder", "consent": {"by": "Ann", "at": "2026-11-21", "statement": "Yes."}}
    after = desk.browser.put("/studio/champions/ahri", json={"expected": before.version, "champion": form}).json()
    assert (after["notes"], after["name"], after["consent"]["by"]) == ("colder", "Ahri", "Ann")
    reported = desk.browser.get("/studio/champions/ahri/versions").json()
    assert [(one["version"], one["current"]) for one in reported] == [(after["version"], True), (before.version, False)]
    older = desk.browser.get(f"/studio/champions/ahri?version={before.version}").json()
    assert older["consent"]["by"] == "the speaker"


def test_consent_is_taken_back_by_saying_null(desk: Desk) -> None:
    form = {"expected": keep(desk.library).version, "champion": {"consent": None}}
    assert desk.browser.put("/studio/champions/ahri", json=form).json()["consent"] is None


def test_a_conflict_tells_what_somebody_else_saved_and_may_be_saved_over(desk: Desk) -> None:
    first = keep(desk.library).version
    theirs = desk.browser.put(
        "/studio/champions/ahri", json={"expected": first, "champion": {"notes": "theirs"}}
    ).json()
    mine = {"expected": first, "champion": {"notes": "mine"}}
    answer = desk.browser.put("/studio/champions/ahri", json=mine)
    assert (answer.status_code, answer.json()["current"]) == (409, theirs)
    assert "someone else" in answer.json()["detail"]
    over = desk.browser.put("/studio/champions/ahri", json=mine | {"expected": theirs["version"]})
    assert (over.status_code, over.json()["notes"]) == (200, "mine")


def test_every_way_of_saving_tells_of_a_conflict(desk: Desk) -> None:
    version = keep(desk.library).version
    yasuo = keep(desk.library, "yasuo").version
    path = "/studio/champions/ahri"
    answers = [
        desk.browser.post(f"{path}/duplicate", json={"as_id": "yasuo"}),
        desk.browser.post(f"{path}/revert", json={"version": version, "expected": "an older one"}),
        desk.browser.delete(f"{path}/portrait", params={"expected": ""}),
        desk.browser.put(f"{path}/portrait", params={"expected": ""}, content=PICTURE),
    ]
    assert [answer.status_code for answer in answers] == [409] * 4
    assert [answer.json()["current"]["version"] for answer in answers] == [yasuo, version, version, version]


def test_keeping_under_a_taken_id_tells_who_has_it(desk: Desk) -> None:
    theirs = keep(desk.library, "guard").version
    form = {"take": desk.take(), "champion": {"id": "guard"}}
    answer = desk.browser.post("/studio/champions", json=form)
    assert (answer.status_code, answer.json()["current"]["version"]) == (409, theirs)
    assert desk.browser.post("/studio/champions", json=form | {"expected": theirs}).status_code == 200


def test_what_a_champion_cannot_be_is_refused_in_words(desk: Desk) -> None:
    kept = keep(desk.library)
    for says, form in IMPOSSIBLE.items():
        body = json.dumps({"expected": kept.version, "champion": form})  # httpx would refuse half a character itself
        answer = desk.browser.put("/studio/champions/ahri", content=body, headers=JSON)
        assert answer.status_code in (400, 422), answer.text
        assert says in answer.json()["detail"]
    assert desk.library.get("ahri").version == kept.version


def test_an_older_version_is_made_the_current_one_again(desk: Desk) -> None:
    older = keep(desk.library)
    newer = keep(desk.library, expected=older.version, notes="newer")
    form = {"version": older.version, "expected": newer.version}
    assert desk.browser.post("/studio/champions/ahri/revert", json=form).json()["version"] == older.version
    assert desk.library.get("ahri").version == older.version


def test_a_champion_is_duplicated_deleted_and_brought_back(desk: Desk) -> None:
    keep(desk.library)
    assert desk.browser.post("/studio/champions/ahri/duplicate", json={"as_id": "ahri-2"}).json()["id"] == "ahri-2"
    assert desk.browser.delete("/studio/champions/ahri").json() == {"deleted": "ahri"}
    assert [one["id"] for one in desk.browser.get("/studio/champions").json()] == ["ahri-2"]
    assert desk.browser.get("/studio/champions/ahri").status_code == 404
    assert desk.browser.post("/studio/champions/ahri/restore").json()["id"] == "ahri"


def test_a_portrait_is_drawn_shown_and_taken_away(desk: Desk) -> None:
    path, version = "/studio/champions/ahri/portrait", keep(desk.library).version
    assert desk.browser.get(path).status_code == 404
    drawn = desk.browser.put(path, params={"expected": version}, content=PICTURE).json()
    shown = desk.browser.get(drawn["portrait"])
    assert (shown.content, shown.headers["content-type"]) == (PICTURE, "image/png")
    assert desk.browser.put(path, params={"expected": drawn["version"]}, content=b"<svg>").status_code == 400
    bare = desk.browser.delete(path, params={"expected": drawn["version"]}).json()
    assert bare["portrait"] is None


def test_the_reference_is_heard_and_sought_in(desk: Desk) -> None:
    keep(desk.library)
    whole = desk.browser.get("/studio/champions/ahri/reference.wav")
    info = soundfile.info(io.BytesIO(whole.content))
    assert (info.samplerate, info.channels, info.subtype) == (22_050, 1, "PCM_16")
    part = desk.browser.get("/studio/champions/ahri/reference.wav", headers={"range": "bytes=0-43"})
    assert (part.status_code, part.content) == (206, whole.content[:44])


def test_an_archive_is_made_downloaded_and_brought_in_under_another_id(desk: Desk) -> None:
    keep(desk.library)
    made = desk.ended(desk.browser.post("/studio/champions/ahri/package"))
    assert (made["state"], made["fraction"], made["champion"]) == ("done", 1.0, "ahri")
    download = desk.browser.get(made["result"]["archive"])
    assert 'filename="ahri.tar.gz"' in download.headers["content-disposition"]
    assert len(download.content) == made["result"]["bytes"]
    job = desk.browser.post("/studio/champions/import?name=ahri.tar.gz&as_id=fox", content=download.content)
    brought = desk.ended(job)
    assert (brought["state"], brought["result"]["id"]) == ("done", "fox")
    assert desk.library.get("fox").champion.transcript == TRANSCRIPT
    assert desk.uploads == []


def test_an_archive_may_come_as_a_form(desk: Desk) -> None:
    keep(desk.library)
    files = {"note": (None, "x" * 100_000), "file": ("ahri.tar.gz", desk.archive()), "other": ("b", b"not this")}
    desk.library.delete("ahri")
    job = desk.ended(desk.browser.post("/studio/champions/import", files=files))
    assert (job["state"], job["result"]["id"]) == ("done", "ahri")
    assert desk.uploads == []


def test_bringing_what_is_here_already_in_another_version_fails_in_words_and_loses_nothing(desk: Desk) -> None:
    keep(desk.library)
    archive = desk.archive()
    newer = keep(desk.library, expected=desk.library.get("ahri").version, notes="newer").version
    job = desk.ended(desk.browser.post("/studio/champions/import", content=archive))
    assert (job["state"], "another id" in job["error"], desk.library.get("ahri").version) == ("failed", True, newer)
    assert job["code"] == "champion_conflict"
    over = desk.ended(desk.browser.post(f"/studio/champions/import?expected={newer}", content=archive))
    assert over["state"] == "done"


def test_what_is_no_archive_fails_in_words_and_leaves_nothing(desk: Desk) -> None:
    for content in (b"not an archive", packed(tar(base({"../evil": b"x"}))), b"\x1f\x8b"):
        job = desk.ended(desk.browser.post("/studio/champions/import", content=content))
        assert (job["state"], len(job["error"]) > 20, desk.library.list()) == ("failed", True, [])
        assert desk.uploads == []


def test_an_upload_without_an_archive_is_refused_in_words(desk: Desk) -> None:
    for says, how in EMPTY.items():
        answer = desk.browser.post("/studio/champions/import", **how)
        assert (answer.status_code, says in answer.json()["detail"]) == (400, True), answer.text
        assert desk.uploads == []


def test_whoever_drops_an_empty_file_on_the_page_reads_nothing_of_bodies_and_forms(desk: Desk) -> None:
    said = desk.browser.post("/studio/champions/import", content=b"").json()["detail"]
    assert said == "the file is empty or missing; send a file"


def test_an_upload_that_breaks_off_leaves_nothing(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    url = desk.browser.base_url
    head = f"POST /studio/champions/import HTTP/1.1\r\nHost: {url.netloc.decode()}\r\nContent-Length: 2000000\r\n\r\n"
    with socket.create_connection((url.host, url.port or 80)) as connection:
        connection.sendall(head.encode() + bytes(1_500_000))
        _until(lambda: desk.uploads != [])
    _until(lambda: desk.uploads == [])
    assert desk.browser.get("/studio/jobs").json() == []
    assert "Traceback" not in caplog.text


def test_an_archive_may_be_larger_than_a_clip_and_no_larger_than_the_settings_say(desk: Desk) -> None:
    path, larger = "/studio/champions/import", bytes(1_500_000)
    assert desk.ended(desk.browser.post(path, content=larger))["state"] == "failed"  # it was looked at
    refused = [
        desk.browser.post(path, content=bytes(2_500_000)),
        desk.browser.post(path, content=iter([larger, larger])),  # which says no length
        desk.browser.post("/studio/clips", files={"file": larger}),
    ]
    assert [answer.status_code for answer in refused] == [413, 413, 413]
    assert ["STUDIO_MAX_WEIGHTS_MB" in answer.json()["detail"] for answer in refused] == [True, True, False]
    assert desk.uploads == []


def test_weights_that_are_none_are_refused_in_words_and_leave_nothing(desk: Desk) -> None:
    keep(desk.library)
    path = "/studio/champions/ahri/weights"
    job = desk.ended(desk.browser.post(f"{path}?name=model.pt", content=b"no weights"))
    assert (job["kind"], job["state"], len(job["error"]) > 20) == ("attach", "failed", True)
    assert "Traceback" not in job["error"]
    wrong = desk.browser.post(f"{path}?name=model.exe", content=b"x")
    unnamed = desk.browser.post(path, content=b"x")
    unknown = desk.browser.post("/studio/champions/nobody/weights?name=model.pt", content=b"x")
    assert [answer.status_code for answer in (wrong, unnamed, unknown)] == [400, 400, 404]
    assert desk.uploads == []


def test_unknown_attachments_jobs_stores_and_archives_are_unknown(desk: Desk) -> None:
    keep(desk.library)
    answers = [
        desk.browser.post("/studio/attachments/none/keep"),
        desk.browser.delete("/studio/attachments/none"),
        desk.browser.get("/studio/jobs/none"),
        desk.browser.get("/studio/jobs/none/archive"),
        desk.browser.post("/studio/jobs/none/cancel"),
        desk.browser.get("/studio/stores/none"),
        desk.browser.post("/studio/stores/none/ahri/push"),
        desk.browser.post("/studio/stores/shelf/nobody/push"),
        desk.browser.post("/studio/stores/shelf/ahri/pull?dry_run=1"),
        desk.browser.delete("/studio/stores/shelf/ahri"),
        desk.browser.post("/studio/champions/nobody/package"),
    ]
    assert [(answer.status_code, len(answer.json()["detail"]) > 20) for answer in answers] == [(404, True)] * 11


def test_stores_are_named_without_anything_secret(desk: Desk, tmp_path: Path) -> None:
    assert desk.browser.get("/studio/stores").json() == [
        {"name": "shelf", "title": "folder", "where": str(tmp_path / "shelf"), "deliveries": True},
        {"name": "bucket", "title": "S3", "where": "s3://voices/f5/ at s3.example:9000", "deliveries": True},
    ]


def test_a_champion_is_pushed_browsed_pulled_and_deleted_from_a_store(desk: Desk) -> None:
    kept = keep(desk.library)
    push, folder_store = "/studio/stores/shelf/ahri/push", "/studio/stores/shelf"
    plan = desk.browser.post(f"{push}?dry_run=true").json()
    assert (plan["action"], plan["bytes"] > 1_000, "upload " in plan["sentence"]) == ("send", True, True)
    assert desk.browser.get(folder_store).json() == []
    pushed = desk.ended(desk.browser.post(push))
    assert (pushed["state"], pushed["store"], pushed["resumable"]) == ("done", "shelf", True)
    (held,) = desk.browser.get(folder_store).json()
    assert (held["id"], held["bytes"], held["identity"], held["here"]) == ("ahri", plan["bytes"], kept.version, "same")
    assert desk.browser.post(f"{push}?dry_run=true").json()["action"] == "nothing"
    desk.library.delete("ahri")
    assert desk.browser.get(folder_store).json()[0]["here"] == "absent"
    assert desk.browser.post(f"{folder_store}/ahri/pull?dry_run=true").json()["action"] == "fetch"
    assert desk.ended(desk.browser.post(f"{folder_store}/ahri/pull"))["result"]["version"] == kept.version
    assert desk.browser.delete(f"{folder_store}/ahri?dry_run=true").json()["action"] == "delete"
    assert desk.browser.get(folder_store).json() != []
    assert desk.browser.delete(f"{folder_store}/ahri").json() == {"deleted": "ahri"}
    assert desk.browser.get(folder_store).json() == []


def test_jobs_are_listed_and_put_away(desk: Desk) -> None:
    keep(desk.library)
    job = desk.ended(desk.browser.post("/studio/champions/ahri/package"))
    assert desk.browser.get("/studio/jobs").json() == [job]
    refused = desk.browser.post(f"/studio/jobs/{job['id']}/pause")
    assert (refused.status_code, "cannot be paused" in refused.json()["detail"]) == (400, True)
    assert desk.browser.delete(f"/studio/jobs/{job['id']}").json() == {"forgotten": job["id"]}
    assert desk.browser.get("/studio/jobs").json() == []


def test_a_damaged_reference_does_not_hide_the_other_champions(desk: Desk) -> None:
    kept = keep(desk.library)
    keep(desk.library, "yasuo", seed=1)
    path = desk.library.path(kept, "reference.wav")
    path.unlink()
    path.write_bytes(b"broken")
    reported = desk.browser.get("/studio/champions").json()
    assert {one["id"]: bool(one["peaks"]) for one in reported} == {"ahri": False, "yasuo": True}


def _until(true: Any) -> None:
    due = time.monotonic() + WAIT_S
    while not true():
        assert time.monotonic() < due
        time.sleep(0.01)
