"""Every route gives the same answer to a clip: the page's report refuses the clip with its message, or mends it."""

import base64
import io
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import soundfile
from websockets.sync.client import connect

from studio.archive import unpack
from studio.archive.errors import BadArchive
from studio.order import Order
from studio.references import report_processes
from studio.references.acceptance import INSIST, BadReference
from studio.references.report import failures
from studio.studio import Studio
from tests.studio.archive.archives import base, packed, silent, tar, vet, written
from tests.studio.house import ENGINE, SAMPLE_RATE, speechlike
from tests.studio.programs import Reception, reception_of
from tests.waiting import until

SAID = "one two three, four five six."
Door = Callable[[Reception, bytes, bool], httpx.Response]


def wav(samples: np.ndarray) -> bytes:  # type: ignore[type-arg]
    file = io.BytesIO()
    soundfile.write(file, samples, SAMPLE_RATE, format="WAV", subtype="PCM_16")
    return file.getvalue()


def music() -> np.ndarray:  # type: ignore[type-arg]
    """Return chords without pauses between them."""
    at_s = np.arange(4 * SAMPLE_RATE) / SAMPLE_RATE
    root = 220 * 2 ** (np.floor(at_s) / 12)
    chord = sum(
        np.sin(2 * np.pi * np.cumsum(root * ratio * part) / SAMPLE_RATE) / part
        for ratio in (1, 1.25, 1.5)
        for part in range(1, 24)
    )
    return (0.1 * chord).astype(np.float32)


REFUSED = {
    "near silence": wav(0.002 * speechlike()),
    "silence": wav(np.zeros(3 * SAMPLE_RATE)),
    "clipping": wav(np.clip(20 * speechlike(), -1, 1)),
    "music": wav(music()),
    "noise": wav(speechlike() + 0.05 * np.random.default_rng(1).standard_normal(4 * SAMPLE_RATE)),
    "cancelled silence": wav(np.stack([np.zeros(3 * SAMPLE_RATE)] * 2, 1)),
}
HEARD_NOTHING = {"near silence", "silence", "cancelled silence"}
HOSTILE = {
    "text": b"<html>not found</html>" * 50,
    "a playlist": b"#EXTM3U\n#EXTINF:2,\nfile:///etc/passwd\n",
    "the beginning of a WAV": wav(speechlike())[:60],
    "drawn bytes": np.random.default_rng(0).bytes(20_000),
    "a FLAC that is none": b"fLaC" + np.random.default_rng(0).bytes(2_000),
    "an Ogg that is none": b"OggS\x00\x02" + np.random.default_rng(0).bytes(2_000),
    "an MP4 that is none": b"\0\0\0\x18ftypM4A " + np.random.default_rng(0).bytes(2_000),
    "an AU that begins behind its end": b".snd\xff\xff\xff\xff\0\0\0\0" + bytes(40),
    "an RF64 that ends in its sizes": b"RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0data\xff\xff\xff\xff",
    "a CAF of negative chunks": b"caff\0\1\0\0desc" + b"\xff" * 200,
}


@pytest.fixture(scope="module")
def reception(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reception]:
    with reception_of(tmp_path_factory.mktemp("doors")) as opened:
        yield opened


def keeping(reception: Reception, sound: bytes, ignore_report: bool) -> httpx.Response:
    form = {"transcript": SAID, "name": "Zed", "ignore_report": str(ignore_report).lower()}
    return reception.program.post("/v1/voices", files={"file": ("zed.wav", sound)}, data=form)


def asked(sound: bytes, ignore_report: bool) -> dict[str, object]:
    encoded = base64.b64encode(sound).decode()
    return {"reference_audio": encoded, "reference_text": SAID, "ignore_report": ignore_report}


def speaking(reception: Reception, sound: bytes, ignore_report: bool) -> httpx.Response:
    return reception.ask(voice="", **asked(sound, ignore_report))


def invoking(reception: Reception, sound: bytes, ignore_report: bool) -> httpx.Response:
    return reception.program.post("/invocations", json={"input": "tick"} | asked(sound, ignore_report))


DOORS: dict[str, Door] = {"/v1/voices": keeping, "/v1/audio/speech": speaking, "/invocations": invoking}


def reported(reception: Reception, sound: bytes) -> list[str]:
    """Return the messages of the failed checks in the page's report."""
    clip = reception.program.post("/studio/clips", files={"file": ("clip.wav", sound)}).json()
    said = {"start_s": 0, "end_s": clip["duration_s"], "transcript": SAID}
    checks = reception.program.post(f"/studio/clips/{clip['id']}/report", json=said).json()["checks"]
    return [check["message"] for check in checks if check["state"] == "fail"]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("fault", REFUSED)
def test_a_clip_that_fails_the_report_is_refused_with_its_message(reception: Reception, door: str, fault: str) -> None:
    answer = DOORS[door](reception, REFUSED[fault], False)
    failed = reported(reception, REFUSED[fault])
    assert failed and (answer.status_code, answer.json()["code"]) == (400, "bad_reference"), answer.text
    insist = [] if fault in HEARD_NOTHING else [INSIST]
    assert answer.json()["detail"] == " ".join([*failed, *insist])


def test_a_refused_reference_leaves_no_request(reception: Reception) -> None:
    reception.let_steps(0)  # so that the line cannot end by itself
    reception.go.clear()
    assert speaking(reception, REFUSED["clipping"], False).status_code == 400
    until(lambda: not reception.studio.manager.queue())
    reception.go.set()


def test_a_reference_that_is_sent_again_is_read_once(reception: Reception, monkeypatch: pytest.MonkeyPatch) -> None:
    reports, sound = list[str](), wav(0.9 * speechlike())

    def counted(*given: Any) -> list[str]:
        reports.append(given[2])
        return failures(*given)

    monkeypatch.setattr(report_processes, "failures", counted)
    assert [speaking(reception, sound, False).status_code for _ in range(3)] == [200] * 3
    assert reports == [SAID]
    other = {"reference_audio": base64.b64encode(sound).decode(), "reference_text": "six five four, three two one."}
    assert reception.ask(voice="", **other).status_code == 200
    assert reports == [SAID, "six five four, three two one."]


@pytest.mark.parametrize("door", DOORS)
def test_ignore_report_accepts_a_failed_clip_but_none_without_a_voice(reception: Reception, door: str) -> None:
    assert DOORS[door](reception, REFUSED["clipping"], True).status_code in (200, 201)
    assert DOORS[door](reception, REFUSED["near silence"], True).status_code == 400


@pytest.mark.parametrize("door", DOORS)
def test_one_of_two_channels_that_cancel_each_other_is_heard(reception: Reception, door: str) -> None:
    one = speechlike()
    answer = DOORS[door](reception, wav(np.stack([one, -one], 1)), False)
    assert answer.status_code in (200, 201), answer.text
    if door == "/v1/voices":
        assert reception.ask(voice=answer.json()["id"]).status_code == 200
    heard = list(reception.metronome.requests.values())[-1].reference.audio
    assert np.abs(heard.samples - one).max() < 1e-3


@pytest.mark.parametrize("door", [*DOORS, "/studio/clips"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_a_sentence(
    reception: Reception, door: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    if door in DOORS:
        answer = DOORS[door](reception, HOSTILE[name], False)
    else:
        answer = reception.program.post(door, files={"file": ("clip.wav", HOSTILE[name])})
    assert (answer.status_code, "; " in answer.json()["detail"]) == (400, True), answer.text
    assert "Traceback" not in caplog.text


def test_the_socket_takes_no_reference(reception: Reception) -> None:
    with connect(f"{reception.url.replace('http', 'ws')}/ws/tts") as socket:
        socket.send(json.dumps({"text": "tick", "voice": "ahri", "reference_audio": "UklGRg=="}))
        assert "reference_audio" in json.loads(socket.recv())["detail"]


def order_of(studio: Studio, sound: bytes, tmp_path: Path) -> Order:
    (tmp_path / "clip.wav").write_bytes(sound)
    clip = studio.session_clips.add("ann", tmp_path / "clip.wav", "clip.wav")
    blank = Order(text="tick", clip_id=clip.id, start_s=0, end_s=3, transcript=SAID, engine=ENGINE)
    return replace(blank, end_s=clip.audio.duration_s)


def test_the_pages_endpoint_warns_with_the_reports_message(reception: Reception, tmp_path: Path) -> None:
    order = order_of(reception.studio, REFUSED["clipping"], tmp_path)
    warnings = reception.studio.speaking.speak(order, session_id="ann").warnings
    assert warnings == reported(reception, REFUSED["clipping"])


def test_the_pages_endpoint_refuses_a_clip_without_a_voice(reception: Reception, tmp_path: Path) -> None:
    one = speechlike()
    order = order_of(reception.studio, wav(np.stack([one, -one], 1)), tmp_path)
    with pytest.raises(BadReference, match=r"No voice found.* Use the loudest channel instead"):
        reception.studio.speaking.speak(order, session_id="ann")


@pytest.mark.parametrize("fault", sorted(HEARD_NOTHING))
def test_an_archive_without_a_voice_is_refused_with_the_reports_message(tmp_path: Path, fault: str) -> None:
    archive = written(tmp_path / "a.tar.gz", packed(tar(base({"reference.wav": REFUSED[fault]}))))
    (tmp_path / "staged").mkdir()
    with pytest.raises(BadArchive, match=r"reference\.wav: No voice found \(peak -\d+ dBFS\). Choose another part"):
        unpack(archive, tmp_path / "staged", vet, silent, threading.Event())


def test_an_archive_with_another_failure_is_imported_and_its_job_names_the_failure(
    reception: Reception, tmp_path: Path
) -> None:
    archive = written(tmp_path / "a.tar.gz", packed(tar(base({"reference.wav": REFUSED["clipping"]}))))
    job = reception.studio.champions.import_archive(archive, as_id="clipped")
    assert job.wait(60) and job.state == "done"
    assert "of the samples are clipped" in job.progress.message
