"""`POST /v1/audio/speech` over a real server: whose settings count, what is refused and how, what is left behind."""

import io
import json
import threading
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import soundfile

from engines.base import Checkpoint
from engines.errors import BadCheckpoint
from engines.types import Progress
from studio.champions.library import Library
from studio.order import Order
from studio.settings import Settings
from studio.speaking import LiveTake
from tests.engines.metronome import RATE, Metronome
from tests.studio.champions.voices import TRANSCRIPT, keep
from tests.studio.house import ENGINE, served, studio_of, web
from tests.studio.programs import CLICK_S, LINE, SPEECH, Reception, reception_of
from tests.waiting import PATIENCE_S, until

REFUSED: dict[str, tuple[int, object]] = {  # by what is said of it
    "champion nobody not found; choose a voice from GET /v1/voices": (404, LINE | {"voice": "nobody"}),
    "champion ../ahri not found": (404, LINE | {"voice": "../ahri"}),
    "unknown engine 'tts-1'; choose one of tick": (404, LINE | {"model": "tts-1"}),
    "response_format: Input should be 'mp3', 'opus', 'aac', 'flac', 'wav' or 'pcm'": (
        422,
        LINE | {"response_format": "webm"},
    ),
    "stream_format: Input should be 'audio' or 'sse'": (422, LINE | {"stream_format": "websocket"}),
    "unknown setting 'sped'; remove it, or choose one of clip_style, guidance": (400, LINE | {"sped": 2}),
    "unknown setting 'xxxxxxxx": (400, LINE | {"x" * 9_999: 2}),
    "\"speed\" must be a number, not 'fast'": (400, LINE | {"speed": "fast"}),
    '"speed" must be a number, not nan': (400, LINE | {"speed": float("nan")}),
    '"seed" must be a whole number': (400, LINE | {"seed": -1}),
    "Tick has no setting temperature": (400, LINE | {"temperature": 0.5}),
    "no words": (400, LINE | {"input": " \n"}),
    "no exclamations": (400, LINE | {"input": "tick!"}),  # by the engine itself
    "input has 5,001 characters; shorten the text to at most 5,000": (422, LINE | {"input": "x" * 5_001}),
    "reference_text has 60,000 characters; shorten the text to at most 5,000": (
        422,
        {"input": "a", "reference_audio": "UklGRg==", "reference_text": "\t" * 60_000},
    ),
    "reference_text is missing": (400, {"input": "tick", "reference_audio": "UklGRg=="}),
    "instructions has 5,001 characters": (422, LINE | {"instructions": "x" * 5_001}),
    "voice has 201 characters": (422, LINE | {"voice": "x" * 201}),
    "input: Input should be a valid string": (422, LINE | {"input": "\ud800"}),
    "input: Input should be a valid string; correct": (422, LINE | {"input": 3}),
    "input: Field required": (422, {"voice": "ahri"}),
    'send either "voice", or "reference_audio" and "reference_text"': (400, {"input": "tick"}),
    "the body is not a JSON object; send a JSON object with Content-Type: application/json": (422, []),
}


@pytest.fixture
def reception(tmp_path: Path) -> Iterator[Reception]:
    with reception_of(tmp_path) as opened:
        yield opened


@pytest.fixture
def held(reception: Reception) -> Iterator[Reception]:
    """Its engine makes no step before the test lets it."""
    reception.go.clear()
    yield reception
    reception.go.set()


def test_a_reference_that_cannot_be_read_counts_as_a_refused_request(reception: Reception) -> None:
    before = reception.studio.telemetry.snapshot().outcomes.get("refused", 0)
    answer = reception.ask(voice="", reference_audio="bm8gc291bmQ=", reference_text="One.")
    assert answer.status_code == 400
    until(lambda: reception.studio.telemetry.snapshot().outcomes.get("refused", 0) == before + 1)


def spoken(reception: Reception) -> Any:
    """The last request the engine was given."""
    return list(reception.metronome.requests.values())[-1]


def test_a_line_comes_back_as_a_wav_at_the_engines_rate(reception: Reception) -> None:
    answer = reception.ask()
    assert (answer.status_code, answer.headers["content-type"]) == (200, "audio/wav"), answer.text
    info = soundfile.info(io.BytesIO(answer.content))
    assert (info.samplerate, info.subtype, info.duration) == (RATE, "PCM_16", CLICK_S * len("tick tock"))


def test_the_champion_speaks_as_it_was_kept(reception: Reception) -> None:
    answer = reception.ask()
    request = spoken(reception)
    assert (request.text, request.reference.transcript, request.seed) == ("tick tock", TRANSCRIPT, 7)
    assert request.settings == {"speed": 1.5}  # this engine has no temperature
    reported = [answer.headers[name] for name in ("x-engine", "x-seed", "x-checkpoint")]
    assert reported == [ENGINE, "7", "brass"]


def test_what_is_asked_for_counts_before_what_was_kept(reception: Reception) -> None:
    assert reception.ask(model=ENGINE, speed=0.5, seed=3, response_format="wav", top_p=None).status_code == 200
    assert (spoken(reception).settings, spoken(reception).seed) == ({"speed": 0.5}, 3)


def test_a_champion_of_an_engine_that_is_not_here_speaks_by_the_first_one_that_is(reception: Reception) -> None:
    keep(Library(reception.studio.settings.data_dir), "yasuo", engine="f5", settings={"speed": 1.5, "seed": 7})
    answer = reception.ask(voice="yasuo")
    assert (answer.status_code, answer.headers["x-engine"], spoken(reception).settings) == (200, ENGINE, {})


def test_what_cannot_be_done_is_refused_in_words_and_nothing_waits(reception: Reception) -> None:
    for says, (status, form) in REFUSED.items():
        body = json.dumps(form)  # httpx would refuse half a character itself
        answer = reception.program.post(SPEECH, content=body, headers={"content-type": "application/json"})
        error = answer.json()["detail"]
        assert (answer.status_code, says in error, len(error) < 400) == (status, True, True), answer.text
    assert reception.studio.manager.queue() == []


def test_null_leaves_a_field_to_the_studio(reception: Reception) -> None:
    assert reception.ask(model=None, instructions=None, stream_format=None, seed=None).status_code == 200


def test_a_champion_without_a_name_is_asked_for(reception: Reception) -> None:
    answer = reception.program.post("/voice/generate", json={"championId": "", "text": "tick"})
    assert (answer.status_code, answer.json()["detail"].startswith("championId:")) == (422, True)


def test_what_is_no_json_is_refused_in_words(reception: Reception) -> None:
    for content in (b"", b"{", b"[" * 99_999, b'{"input": ' + b"9" * 9_999 + b"}", b"\xff"):
        answer = reception.program.post(SPEECH, content=content, headers={"content-type": "application/json"})
        assert (answer.status_code in (400, 422), len(answer.json()["detail"]) > 10) == (True, True), answer.text


def test_a_huge_body_is_refused_before_it_is_read(reception: Reception) -> None:
    answer = reception.program.post(SPEECH, json=LINE | {"input": "x" * 4_000_000})
    assert (answer.status_code, "larger than 3 MB" in answer.json()["detail"]) == (413, True)


def test_a_page_of_another_site_is_refused_and_a_program_with_a_key_is_not(reception: Reception) -> None:
    page = {"origin": "https://evil.example"}
    assert reception.program.post(SPEECH, json=LINE, headers=page).status_code == 403
    assert reception.program.post(SPEECH, json=LINE, headers={"authorization": "Bearer key"}).status_code == 200


def test_nothing_of_it_is_kept(reception: Reception) -> None:
    assert reception.ask().status_code == 200
    assert reception.program.post(SPEECH, json=LINE).status_code == 200  # with this browser's cookie
    assert reception.program.get("/studio/takes").json() == []
    data = reception.studio.settings.data_dir
    assert [path.name for path in data.rglob("*.wav") if "blobs" not in path.parts and "clips" not in path.parts] == []


def test_a_program_that_hangs_up_frees_the_lane(reception: Reception) -> None:
    reception.metronome.step_s, line = 0.03, "x" * 5_000  # minutes of work
    with closing(HTTPConnection(reception.program.base_url.netloc.decode())) as leaver:
        leaver.request("POST", SPEECH, json.dumps(LINE | {"input": line}), {"content-type": "application/json"})
        until(lambda: reception.metronome.steps)
    until(lambda: reception.studio.manager.queue() == [])
    assert reception.metronome.jobs == {}
    assert len(reception.metronome.steps) < len(line)


def test_a_full_queue_is_refused_with_when_to_ask_again(held: Reception) -> None:
    waiting = [held.asking() for _ in range(4)]  # one is being spoken
    answer = held.ask()
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "2")
    assert "3 requests are waiting already" in answer.json()["detail"]
    held.go.set()
    assert {asking.answer().status_code for asking in waiting} == {200}


def test_many_requests_of_one_program_are_one_visitor_in_the_line(held: Reception) -> None:
    for _ in range(3):
        held.asking()
    assert len({entry.session_id for entry in held.studio.manager.queue()}) == 1
    performance = visitor_speaks(held)
    assert performance.status().rank == 1  # before two that came earlier


def visitor_speaks(reception: Reception) -> LiveTake:
    sample = reception.studio.session_clips.samples()[0]
    order = Order(text="mine", clip_id=sample.clip_id, start_s=0, end_s=3.5, transcript="one", engine=ENGINE)
    return reception.studio.speaking.speak(order, session_id="somebody")


def test_a_long_line_is_made_whole_though_nobody_hears_it_meanwhile(reception: Reception) -> None:
    reception.metronome.click_s = 20.0  # beyond what the scheduler makes ahead of a reader
    sound, rate = soundfile.read(io.BytesIO(reception.ask().content))
    assert len(sound) / rate == 20.0 * len("tick tock")
    assert np.all(sound > 0)


def test_an_engine_that_loads_or_failed_says_so_at_once(tmp_path: Path) -> None:
    metronome, go = Metronome(), threading.Event()

    def load(_: Checkpoint) -> Iterator[Progress]:
        yield Progress(0.5, "half")
        go.wait(PATIENCE_S)
        raise BadCheckpoint("the brass is bent; straighten it")

    metronome.load = load  # type: ignore[method-assign]
    settings = Settings(data_dir=tmp_path / "data", engines=(ENGINE,))
    with studio_of(tmp_path, metronome, settings=settings) as studio, served(web(studio)) as url:
        keep(Library(studio.settings.data_dir), engine=ENGINE)
        loading = httpx.post(f"{url}{SPEECH}", json=LINE)
        go.set()
        until(lambda: studio.manager.status(ENGINE).state == "failed")
        failed = httpx.post(f"{url}{SPEECH}", json=LINE)
    assert [(answer.status_code, answer.headers["retry-after"]) for answer in (loading, failed)] == [(503, "5")] * 2
    assert "still loading" in loading.json()["detail"]
    assert "the brass is bent" in failed.json()["detail"]
