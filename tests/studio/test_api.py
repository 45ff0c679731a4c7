"""The studio's routes over a real server, on real parts: two browsers, one scheduler."""

import io
import json
import math
import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import numpy as np
import pytest
import soundfile

from engines.audio import loudness_lufs
from engines.errors import BadText, QueueFull
from engines.scheduling.manager import Policy
from engines.text.tempo import ROOM_S
from engines.types import Audio
from studio.order import Order, flat, read_order
from studio.settings import Settings
from studio.speaking import LiveTake
from studio.studio import Studio
from studio.version import VERSION
from studio.web.session import COOKIE, session_id_of
from tests.engines.metronome import RATE, Metronome
from tests.studio.house import ENGINE, SAMPLE_RATE, ready, served, speechlike, studio_of, web, write_clip
from tests.waiting import PATIENCE_S

TAKE_S = 0.1  # of audio per character


class Visit:
    """A studio and two browsers on it."""

    def __init__(self, studio: Studio, metronome: Metronome, ann: httpx.Client, bob: httpx.Client) -> None:
        self.studio, self.metronome, self.ann, self.bob = studio, metronome, ann, bob

    def session_id(self, client: httpx.Client) -> str:
        client.get("/health")
        return session_id_of(client.cookies[COOKIE])

    def order(self, client: httpx.Client, text: str = "tick tock", seed: int | None = 7) -> Order:
        sample = client.get("/studio/clips").json()["samples"][0]
        return Order(text=text, clip_id=sample["id"], start_s=0, end_s=3.5, transcript="one", engine=ENGINE, seed=seed)

    def speak(self, client: httpx.Client, text: str = "tick tock") -> LiveTake:
        return self.studio.speaking.speak(self.order(client, text), session_id=self.session_id(client))

    def take(self, client: httpx.Client, text: str = "tick tock") -> str:
        live = self.speak(client, text)
        assert live.wait(PATIENCE_S)
        return live.result().id


@pytest.fixture
def visit(tmp_path: Path) -> Iterator[Visit]:
    metronome = Metronome(width=1, step_s=0.01, click_s=TAKE_S)
    with (
        studio_of(tmp_path, metronome, Policy(queue_size=3)) as studio,
        served(web(studio)) as url,
        httpx.Client(base_url=url, timeout=300.0) as ann,
        httpx.Client(base_url=url, timeout=300.0) as bob,
    ):
        ready(ann)
        yield Visit(studio, metronome, ann, bob)


def test_health_and_readiness(visit: Visit) -> None:
    assert visit.ann.get("/health").json() == {"status": "alive", "version": VERSION}
    assert visit.ann.get("/ready").json() == {"ready": True}
    visit.studio.manager.unload(ENGINE)
    due = time.monotonic() + 5.0
    while visit.ann.get("/ready").status_code == 200:
        assert time.monotonic() < due
    answer = visit.ann.get("/ready")
    assert (answer.status_code, answer.json()["ready"]) == (503, False)
    assert "not loaded" in answer.json()["reason"]
    assert answer.json()["error"]["message"] == answer.json()["reason"]


def test_the_sample_voice_is_there_with_its_transcript(visit: Visit) -> None:
    clips = visit.ann.get("/studio/clips").json()
    (sample,) = clips["samples"]
    assert clips["mine"] == []
    assert (sample["transcript"], sample["duration_s"]) == ("one two three four five six", 4.0)
    assert len(sample["peaks"]) == 600
    assert sample["windows"][0]["end_s"] <= 10.0


def upload(client: httpx.Client, path: Path, name: str = "mine.wav") -> httpx.Response:
    return client.post("/studio/clips", files={"file": (name, path.read_bytes())})


def test_an_uploaded_clip_is_its_owners_alone(visit: Visit, tmp_path: Path) -> None:
    clip = upload(visit.ann, write_clip(tmp_path / "clip.wav", seed=5)).json()
    assert (clip["name"], clip["sample_rate"], clip["channels"]) == ("mine.wav", SAMPLE_RATE, 1)
    assert [one["id"] for one in visit.ann.get("/studio/clips").json()["mine"]] == [clip["id"]]
    assert visit.bob.get("/studio/clips").json()["mine"] == []
    for path in ("", "/audio.wav"):
        assert visit.ann.get(f"/studio/clips/{clip['id']}{path}").status_code == 200
        assert visit.bob.get(f"/studio/clips/{clip['id']}{path}").status_code == 404
    answer = upload(visit.bob, tmp_path / "clip.wav", "bobs.wav").json()
    assert (answer["id"], answer["name"]) == (clip["id"], "bobs.wav")
    for browser, name in ((visit.ann, "mine.wav"), (visit.bob, "bobs.wav")):
        assert browser.get(f"/studio/clips/{clip['id']}").json()["name"] == name
        assert [one["name"] for one in browser.get("/studio/clips").json()["mine"]] == [name]


def test_nothing_tells_of_whoever_uploaded_the_same_sound_before(visit: Visit, tmp_path: Path) -> None:
    sound = speechlike(seed=5)
    soundfile.write(tmp_path / "anns.wav", np.stack([sound * 2, sound * 0], axis=1), SAMPLE_RATE, subtype="FLOAT")
    id = upload(visit.ann, tmp_path / "anns.wav", "private demo.wav").json()["id"]
    bobs = upload(visit.bob, write_clip(tmp_path / "bobs.wav", seed=5), "bobs.wav").json()
    assert (bobs["id"], bobs["name"], bobs["channels"]) == (id, "bobs.wav", 1)
    window = {"start_s": 0.0, "end_s": bobs["duration_s"]}
    assert visit.bob.post(f"/studio/clips/{id}/mend", json=window | {"name": "mono"}).status_code == 400
    checks = visit.bob.post(f"/studio/clips/{id}/report", json=window | {"transcript": "one two"}).json()["checks"]
    assert "mono" not in {check["mend"] for check in checks}
    order = replace(visit.order(visit.bob), clip_id=id)
    live = visit.studio.speaking.speak(order, session_id=visit.session_id(visit.bob))
    assert live.wait(300.0)
    take = visit.bob.get(f"/studio/takes/{live.result().id}/audio.wav?download=true")
    assert "bobs" in take.headers["content-disposition"]


def test_what_is_heard_of_a_window_is_sample_for_sample_what_the_engine_gets(visit: Visit) -> None:
    order = visit.order(visit.ann)
    heard = visit.ann.get(f"/studio/clips/{order.clip_id}/audio.wav?start=0.5&end=3.25").content
    samples, rate = soundfile.read(io.BytesIO(heard), dtype="float32")
    np.testing.assert_array_equal(samples, speechlike()[SAMPLE_RATE // 2 : SAMPLE_RATE * 13 // 4])
    visit.take(visit.ann)
    (request,) = visit.metronome.requests.values()
    whole = visit.ann.get(f"/studio/clips/{order.clip_id}/audio.wav?start=0&end=3.5").content
    np.testing.assert_array_equal(
        request.reference.audio.samples, soundfile.read(io.BytesIO(whole), dtype="float32")[0]
    )
    assert rate == request.reference.audio.sample_rate


@pytest.mark.parametrize("content", [b"", b"not sound at all", b"RIFF\x24\x00\x00\x00WAVEfmt ", b"ID3" + b"\x00" * 999])
def test_an_upload_that_is_no_sound_is_refused_in_words_and_leaves_nothing(visit: Visit, content: bytes) -> None:
    answer = visit.ann.post("/studio/clips", files={"file": ("x.wav", content)})
    assert answer.status_code == 400
    assert len(answer.json()["detail"]) > 20
    assert visit.ann.get("/studio/clips").json()["mine"] == []
    assert list((visit.studio.settings.data_dir / "uploads").iterdir()) == []


def test_a_quote_in_a_files_name_is_shown_as_one(visit: Visit, tmp_path: Path) -> None:
    clip = upload(visit.ann, write_clip(tmp_path / "clip.wav", seed=5), 'the "good" take.wav').json()
    assert clip["name"] == 'the "good" take.wav'


@pytest.mark.parametrize("body", ["[" * 100_000, '{"starred": ' + "9" * 10_000 + "}", b'{"starred": "\xff"}'])
def test_a_body_that_cannot_be_read_is_refused_with_what_to_do(visit: Visit, body: str | bytes) -> None:
    answer = visit.ann.post("/studio/takes/x/star", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, "send it again" in answer.json()["detail"]) == (400, True)


def test_a_form_without_a_file_is_refused_in_words(visit: Visit) -> None:
    answer = visit.ann.post("/studio/clips")
    assert (answer.status_code, answer.json()["detail"].startswith("file:")) == (422, True)


def test_a_clip_is_checked_and_repaired(visit: Visit, tmp_path: Path) -> None:
    quiet = tmp_path / "quiet.wav"
    soundfile.write(quiet, speechlike() * 0.02, SAMPLE_RATE, subtype="FLOAT")
    clip = upload(visit.ann, quiet).json()
    window = {"start_s": 0.0, "end_s": 4.0}
    path = f"/studio/clips/{clip['id']}"
    checks = visit.ann.post(f"{path}/report", json=window | {"transcript": "one two"}).json()["checks"]
    (level,) = [check for check in checks if check["name"] == "level"]
    assert (level["state"], level["mend"]) == ("warn", "normalise")
    better = visit.ann.post(f"{path}/mend", json=window | {"name": "normalise"}).json()
    assert better["id"] != clip["id"]
    again = visit.ann.post(f"/studio/clips/{better['id']}/report", json=window | {"transcript": "one two"}).json()
    assert [check["state"] for check in again["checks"] if check["name"] == "level"] == ["ok"]
    assert visit.bob.post(f"{path}/mend", json=window | {"name": "normalise"}).status_code == 404


def test_a_report_that_was_asked_for_before_its_clip_was_deleted_is_answered(visit: Visit, tmp_path: Path) -> None:
    path = f"/studio/clips/{upload(visit.ann, write_clip(tmp_path / 'mine.wav', seed=11)).json()['id']}"
    said = {"start_s": 0.0, "end_s": 4.0, "transcript": "one two"}
    assert visit.ann.delete(path).status_code == 200
    assert visit.ann.post(f"{path}/report", json=said).status_code == 200
    assert visit.bob.post(f"{path}/report", json=said).status_code == 404


def test_a_mended_clip_is_still_said_to_be_clipped(visit: Visit, tmp_path: Path) -> None:
    soundfile.write(tmp_path / "loud.wav", np.clip(speechlike() * 30, -1, 1), SAMPLE_RATE, subtype="FLOAT")
    clip = upload(visit.ann, tmp_path / "loud.wav").json()
    window = {"start_s": 0.5, "end_s": 3.5}
    for name in ("high_pass", "normalise", "trim"):
        clip = visit.ann.post(f"/studio/clips/{clip['id']}/mend", json=window | {"name": name}).json()
        said = {"start_s": 0.0, "end_s": 2.5, "transcript": "one two"}
        checks = visit.ann.post(f"/studio/clips/{clip['id']}/report", json=said).json()["checks"]
        assert [check["state"] for check in checks if check["name"] == "clipping"] == ["fail"], name


@pytest.mark.parametrize("route", ["report", "mend", "transcribe", "transcript"])
def test_a_window_that_is_none_is_refused_in_one_sentence(visit: Visit, route: str) -> None:
    clip, headers = visit.order(visit.ann).clip_id, {"content-type": "application/json"}
    for end_s in (math.nan, math.inf, -math.inf, 1e308, -1e308, None, "x", [], 10**400):
        body = json.dumps({"start_s": 0.0, "end_s": end_s, "transcript": "one", "name": "trim"})
        answer = visit.ann.post(f"/studio/clips/{clip}/{route}", content=body, headers=headers)
        if route == "transcript" and answer.status_code == 200:  # beyond its end, the whole clip is meant
            continue
        assert answer.status_code in (400, 422), end_s
        assert len(answer.json()["detail"]) > 20, end_s


def test_a_transcript_nobody_could_say_is_refused_at_once(visit: Visit) -> None:
    said = {"start_s": 0.0, "end_s": 3.0, "transcript": "word " * 200_000}
    for route in ("report", "transcript"):
        answer = visit.ann.post(f"/studio/clips/{visit.order(visit.ann).clip_id}/{route}", json=said)
        assert (answer.status_code, "shorten the text to at most 5,000" in answer.json()["detail"]) == (422, True)


def test_a_transcript_that_cannot_belong_to_the_clip_is_spoken_with_a_warning(visit: Visit) -> None:
    order = visit.order(visit.ann)
    for transcript, words in (
        ("many words that nobody could say so fast " * 9, "Too fast for natural speech"),
        ("one", "The speech is slow"),
    ):
        doubtful = visit.studio.speaking.speak(
            replace(order, transcript=transcript), session_id=visit.session_id(visit.ann)
        )
        assert [words in warning for warning in doubtful.warnings] == [True]
    fine = replace(order, transcript="one two three four five")
    assert visit.studio.speaking.speak(fine, session_id=visit.session_id(visit.ann)).warnings == []


def test_what_cannot_be_said_is_refused_before_it_waits(visit: Visit) -> None:
    for text in ("", "[pause:1s]", "a" * 6_000):
        with pytest.raises(BadText):
            visit.speak(visit.ann, text)
    assert visit.studio.manager.queue() == []


def test_the_words_of_a_window_are_proposed(visit: Visit) -> None:
    clip = visit.order(visit.ann).clip_id
    said = {"transcript": "one two three four", "start_s": 0.0, "end_s": 4.0}
    answer = visit.ann.post(f"/studio/clips/{clip}/transcript", json=said)
    assert answer.json() == {"transcript": "one two three four"}


def test_a_window_outside_the_clip_is_refused_in_words(visit: Visit) -> None:
    clip = visit.order(visit.ann).clip_id
    answer = visit.ann.get(f"/studio/clips/{clip}/audio.wav?start=3&end=99")
    assert answer.status_code == 400
    assert "not within the clip" in answer.json()["detail"]


def test_signs_that_will_not_be_heard_are_named(visit: Visit) -> None:
    script = visit.ann.post("/studio/script", json={"text": "Well done 🙂!", "engine": ENGINE}).json()
    assert (script["unsaid"], script["spoken"][0]["spoken"]) == (["🙂"], "Well done!")
    assert script["unsupported"] == []


def test_a_script_is_shown_as_it_will_be_spoken(visit: Visit) -> None:
    form = {"text": "Your 67% win rate. [pause:0.8s] Go!", "engine": ENGINE}
    script = visit.ann.post("/studio/script", json=form).json()
    assert "sixty-seven percent" in script["spoken"][0]["spoken"].replace("sixty seven", "sixty-seven")
    assert script["spoken"][1] == {"kind": "pause", "duration_s": 0.8}
    assert (script["characters"], script["error"]) == (len(form["text"]), None)
    assert script["estimate_s"] > 0.8


def test_the_preview_shows_english_as_it_will_be_spoken(visit: Visit) -> None:
    form = {"text": '<b>Chapter IV</b> &amp; <break time="1s"/> Mr. Jones, at 5.30 pm', "engine": ENGINE}
    script = visit.ann.post("/studio/script", json=form).json()
    assert [part.get("spoken", part.get("duration_s")) for part in script["spoken"]] == [
        "Chapter four and", 1.0, "Mister Jones, at five thirty p m",
    ]  # fmt: skip


def test_how_long_a_script_will_last_is_told_of_the_voice_and_the_speed_chosen(visit: Visit) -> None:
    voice = flat(visit.order(visit.ann)) | {"text": "t" * 100, "transcript": "o" * 35}

    def answer_s(**changes: object) -> float:
        return float(visit.ann.post("/studio/script", json=voice | changes).json()["estimate_s"])

    assert answer_s() == pytest.approx(10 + ROOM_S, rel=0.02)  # 35 bytes took 3.5 s
    assert answer_s(end_s=1.75) == pytest.approx(5 + ROOM_S, rel=0.02)
    assert answer_s(speed=2.0) == pytest.approx(5 + ROOM_S, rel=0.02)
    assert answer_s(speed=None) == answer_s()
    slow_and_fast = f"[rate:0.5]{'t' * 50}.[/rate] [rate:2]{'t' * 50}.[/rate]"
    assert answer_s(text=slow_and_fast) == pytest.approx(10 + 2.5 + 2 * ROOM_S, rel=0.03)
    assert answer_s(text=slow_and_fast, speed=2.0) == pytest.approx(5 + 2.5 + 2 * ROOM_S, rel=0.03)  # at most speed 2
    usual_s = 100 / 14 + ROOM_S
    assert [answer_s(**gone) for gone in ({"clip_id": "none"}, {"transcript": ""}, {"champion": "none"})] == (
        pytest.approx([usual_s] * 3, abs=0.01)
    )


@pytest.mark.parametrize("text", ["", "  \n", "[pause:1s]", "x" * 1_000_000, "[pause:99s] hello"])
def test_a_script_that_cannot_be_spoken_says_why(visit: Visit, text: str) -> None:
    answer = visit.ann.post("/studio/script", json={"text": text, "engine": ENGINE})
    assert answer.status_code == 200
    assert len(answer.json()["error"]) > 20


def test_sound_is_streamed_while_it_is_made(visit: Visit) -> None:
    live = visit.speak(visit.ann, "t" * 60)
    arrived: list[tuple[float, int]] = []
    pieces = []
    with visit.ann.stream("GET", f"/studio/live/{live.id}.pcm") as answer:
        assert answer.headers["x-sample-rate"] == str(RATE)
        for piece in answer.iter_raw():
            arrived.append((live.status().progress, len(piece)))
            pieces.append(piece)
    heard = np.frombuffer(b"".join(pieces), "<i2")
    kept = visit.studio.history.audio(visit.session_id(visit.ann), live.result().id).samples
    np.testing.assert_array_equal(heard, np.round(np.clip(kept, -1, 1) * 32767).astype(np.int16))
    assert arrived[0][0] < 0.5
    assert len(pieces) > 5


def test_a_late_listener_hears_all_of_it_and_a_stranger_nothing(visit: Visit) -> None:
    live = visit.speak(visit.ann)
    assert live.wait(PATIENCE_S)
    whole = visit.ann.get(f"/studio/live/{live.id}.pcm").content
    assert len(whole) == 2 * len("tick tock") * int(TAKE_S * RATE)
    for path in (f"/studio/live/{live.id}.pcm", f"/studio/live/{live.id}"):
        assert visit.bob.get(path).status_code == 404
    assert visit.bob.post(f"/studio/live/{live.id}/cancel").status_code == 404


def test_a_listener_who_leaves_does_not_stop_the_performance(visit: Visit) -> None:
    live = visit.speak(visit.ann, "t" * 40)
    with visit.ann.stream("GET", f"/studio/live/{live.id}.pcm") as answer:
        next(answer.iter_raw())
    assert live.wait(PATIENCE_S)
    assert live.result().duration_s == pytest.approx(40 * TAKE_S)


def test_stopping_ends_the_stream_and_frees_the_lane(visit: Visit) -> None:
    live = visit.speak(visit.ann, "t" * 2000)
    ended = threading.Event()

    def listen() -> None:
        with visit.ann.stream("GET", f"/studio/live/{live.id}.pcm") as answer:
            for _ in answer.iter_raw():
                pass
        ended.set()

    threading.Thread(target=listen, daemon=True).start()
    while visit.ann.get(f"/studio/live/{live.id}").json()["state"] != "running":
        time.sleep(0.01)
    assert visit.ann.post(f"/studio/live/{live.id}/cancel").status_code == 200
    assert ended.wait(2.0)
    assert visit.ann.get(f"/studio/live/{live.id}").json()["state"] == "cancelled"
    assert visit.studio.manager.queue() == []


def test_the_second_browser_sees_its_rank_and_both_hear_only_their_own(visit: Visit) -> None:
    gate = threading.Semaphore(3)
    visit.metronome.gate = gate.acquire  # the first line stays in its fourth step
    first, second = visit.speak(visit.ann, "a" * 50), visit.speak(visit.bob, "b" * 10)
    while visit.ann.get(f"/studio/live/{first.id}").json()["state"] != "running":
        time.sleep(0.01)
    waiting = visit.bob.get(f"/studio/live/{second.id}").json()
    assert (waiting["state"], waiting["rank"]) == ("queued", 1)
    telemetry = visit.bob.get("/studio/telemetry?series=false").json()
    assert telemetry["queue_length"] == 1
    assert [one["mine"] for one in telemetry["waiting"]] == [True]
    gate.release(999)
    assert first.wait(PATIENCE_S)
    assert second.wait(PATIENCE_S)
    ids = [first.result().id, second.result().id]
    assert [take["id"] for take in visit.ann.get("/studio/takes").json()] == ids[:1]
    assert [take["id"] for take in visit.bob.get("/studio/takes").json()] == ids[1:]


def test_takes_carry_everything_that_restores_the_page_and_nothing_of_the_session(visit: Visit) -> None:
    id = visit.take(visit.ann)
    (take,) = visit.ann.get("/studio/takes").json()
    assert read_order(take["order"]) == visit.order(visit.ann)
    assert take["cost"]["audio_s"] == pytest.approx(take["duration_s"])
    assert 0 < take["cost"]["ttfa_s"] < take["cost"]["total_s"]
    assert visit.ann.get(f"/studio/takes/{id}").json() == take
    assert visit.session_id(visit.ann) not in json.dumps(take)


@pytest.mark.parametrize(("format", "kind"), [("wav", "WAV"), ("flac", "FLAC"), ("mp3", "MP3")])
def test_a_take_downloads_under_a_readable_name(visit: Visit, format: str, kind: str) -> None:
    id = visit.take(visit.ann, "Willkommen über den Wolken")
    answer = visit.ann.get(f"/studio/takes/{id}/audio.{format}?download=1")
    assert soundfile.info(io.BytesIO(answer.content)).format == kind
    disposition = answer.headers["content-disposition"]
    assert f"anna-tick-7-willkommen-%C3%BCber-den-wolken.{format}" in disposition
    assert "content-disposition" not in visit.ann.get(f"/studio/takes/{id}/audio.{format}").headers


def test_a_takes_loudness_is_that_of_its_file(visit: Visit) -> None:
    id = visit.take(visit.ann)
    samples, rate = soundfile.read(io.BytesIO(visit.ann.get(f"/studio/takes/{id}/audio.wav").content), dtype="float32")
    level = visit.ann.get(f"/studio/takes/{id}/loudness").json()["loudness_lufs"]
    assert level == pytest.approx(loudness_lufs(Audio(samples, rate)))
    assert level < 0


def test_a_player_may_seek_in_a_take(visit: Visit) -> None:
    id = visit.take(visit.ann)
    whole = visit.ann.get(f"/studio/takes/{id}/audio.wav").content
    part = visit.ann.get(f"/studio/takes/{id}/audio.wav", headers={"range": "bytes=100-199"})
    assert (part.status_code, part.content) == (206, whole[100:200])


def test_a_take_is_starred_deleted_and_brought_back(visit: Visit) -> None:
    id = visit.take(visit.ann)
    assert visit.ann.post(f"/studio/takes/{id}/star", json={"starred": True}).json()["starred"]
    assert visit.ann.delete(f"/studio/takes/{id}").status_code == 200
    assert visit.ann.get("/studio/takes").json() == []
    assert visit.ann.get(f"/studio/takes/{id}/audio.wav").status_code == 404
    assert visit.ann.post(f"/studio/takes/{id}/restore").json()["starred"]
    assert len(visit.ann.get("/studio/takes").json()) == 1


def test_another_browsers_take_is_unknown(visit: Visit) -> None:
    id = visit.take(visit.ann)
    answers = [
        visit.bob.get(f"/studio/takes/{id}"),
        visit.bob.get(f"/studio/takes/{id}/audio.wav"),
        visit.bob.get(f"/studio/takes/{id}/loudness"),
        visit.bob.get(f"/studio/takes.zip?ids={id}"),
        visit.bob.post(f"/studio/takes/{id}/star", json={"starred": True}),
        visit.bob.delete(f"/studio/takes/{id}"),
        visit.bob.post(f"/studio/takes/{id}/restore"),
    ]
    assert [answer.status_code for answer in answers] == [404] * 7
    assert all("take not found" in answer.json()["detail"] for answer in answers)


def test_many_takes_are_deleted_brought_back_and_moved_at_once(visit: Visit) -> None:
    ids = [visit.take(visit.ann, text) for text in ("one", "two", "three")]

    def ask(verb: str, **body: object) -> list[str]:
        return [take["id"] for take in visit.ann.post(f"/studio/takes/{verb}", json={"ids": ids[:2], **body}).json()]

    def kept() -> dict[str, str]:
        return {take["id"]: take["folder"] for take in visit.ann.get("/studio/takes").json()}

    assert ask("folder", folder="  Act  2 ") == ids[:2]
    assert kept() == {ids[2]: "", ids[1]: "Act 2", ids[0]: "Act 2"}
    assert ask("delete") == ids[:2]
    assert list(kept()) == ids[2:]
    assert ask("restore") == ids[:2]
    assert kept() == {ids[2]: "", ids[1]: "Act 2", ids[0]: "Act 2"}


@pytest.mark.parametrize("verb", ["delete", "restore", "folder"])
def test_where_one_of_many_takes_is_unknown_none_is_touched(visit: Visit, verb: str) -> None:
    mine, gone, theirs = visit.take(visit.ann), visit.take(visit.ann), visit.take(visit.bob)
    visit.ann.delete(f"/studio/takes/{gone}")
    before = visit.ann.get("/studio/takes").json()
    answer = visit.ann.post(f"/studio/takes/{verb}", json={"ids": [mine, gone, theirs], "folder": "Act 2"})
    assert (answer.status_code, answer.json()["detail"].split(";")[0]) == (404, "take not found")
    assert visit.ann.get("/studio/takes").json() == before
    assert len(visit.bob.get("/studio/takes").json()) == 1


@pytest.mark.parametrize(
    ("body", "status"),
    [({"ids": []}, 422), ({}, 422), ({"folder": "x" * 61}, 400), ({"folder": "a\u0000b"}, 400), ({"folder": 2}, 422)],
)
def test_no_takes_and_folders_without_a_name_to_see_are_refused(
    visit: Visit, body: dict[str, object], status: int
) -> None:
    whole = {"ids": [visit.take(visit.ann)], "folder": "x" * 60}
    assert visit.ann.post("/studio/takes/folder", json=whole).status_code == 200
    assert visit.ann.post("/studio/takes/folder", json=({**whole, **body} if body else {})).status_code == status


def test_takes_are_exported_as_one_zip(visit: Visit) -> None:
    ids = [visit.take(visit.ann, text) for text in ("one", "two")]
    answer = visit.ann.get(f"/studio/takes.zip?ids={','.join(ids)}")
    names = zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
    assert names == ["anna-tick-7-one.wav", "anna-tick-7-one.json", "anna-tick-7-two.wav", "anna-tick-7-two.json"]


def test_takes_and_clips_are_there_after_a_restart(tmp_path: Path) -> None:
    cookies = httpx.Cookies()
    before: list[object] = []
    for life in range(2):
        with (
            studio_of(tmp_path, Metronome(click_s=TAKE_S)) as studio,
            served(web(studio)) as url,
            httpx.Client(base_url=url, cookies=cookies, timeout=300.0) as ann,
        ):
            ready(ann)
            if life == 0:
                upload(ann, write_clip(tmp_path / "clip.wav", seed=5))
                Visit(studio, Metronome(), ann, ann).take(ann)
                cookies = ann.cookies
            (take,) = ann.get("/studio/takes").json()
            sound = ann.get(f"/studio/takes/{take['id']}/audio.wav").content
            before.append((take, sound, ann.get("/studio/clips").json()))
    assert before[0] == before[1]


def test_a_full_queue_refuses_in_words(visit: Visit) -> None:
    live_takes = [visit.speak(visit.ann, "t" * 500)]
    while live_takes[0].status().state != "running":
        time.sleep(0.01)
    live_takes += [visit.speak(visit.ann, "t" * 500) for _ in range(3)]
    with pytest.raises(QueueFull, match="waiting"):
        visit.speak(visit.ann)
    for live in live_takes:
        live.cancel()


def test_telemetry_shows_engines_without_their_vocabulary(visit: Visit) -> None:
    visit.take(visit.ann)
    telemetry = visit.ann.get("/studio/telemetry").json()
    assert telemetry["engines"][0]["state"] == "ready"
    assert "vocabulary" not in telemetry["engines"][0]["info"]
    assert telemetry["requests"] == 1
    assert telemetry["latency_s"]["p50"] > telemetry["ttfa_s"]["p50"] > 0
    assert visit.ann.get("/studio/engines").json() == telemetry["engines"]


def test_the_owner_on_loopback_unloads_and_loads_engines(visit: Visit) -> None:
    assert visit.ann.post(f"/studio/engines/{ENGINE}/unload").status_code == 200
    assert visit.ann.post(f"/studio/engines/{ENGINE}/load").status_code == 200
    ready(visit.ann)


def test_a_stranger_behind_a_proxy_on_this_machine_is_not_the_owner(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data", allowed_hosts="studio.example")
    with studio_of(tmp_path, Metronome(), settings=settings) as studio, served(web(studio)) as url:
        answer = httpx.post(f"{url}/studio/engines/{ENGINE}/unload", headers={"host": "studio.example"})
        assert (answer.status_code, "STUDIO_LOGIN" in answer.json()["detail"]) == (403, True)


@pytest.mark.parametrize(("login", "status"), [("", 403), ("ann:secret", 401)])
def test_elsewhere_only_the_login_controls_engines(tmp_path: Path, login: str, status: int) -> None:
    settings = Settings(host="0.0.0.0", data_dir=tmp_path / "data", login=login)
    with (
        studio_of(tmp_path, Metronome(), settings=settings) as studio,
        served(web(studio)) as url,
        httpx.Client(base_url=url, timeout=300.0) as client,
    ):
        ready(client)
        path = f"/studio/engines/{ENGINE}/unload"
        answer = client.post(path)
        assert (answer.status_code, "STUDIO_LOGIN" in answer.json()["detail"]) == (status, True)
        assert client.post(path, auth=("ann", "wrong")).status_code == status
        assert client.post(path, headers={"authorization": "Basic ???"}).status_code == status
        assert client.post(path, auth=("ann", "secret")).status_code == (200 if login else 403)
