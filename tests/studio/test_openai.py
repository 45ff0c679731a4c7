"""The official `openai` client against the studio: every format, sound before its end, errors, and what stops a request."""

import base64
import io
import json
import logging
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import imageio_ffmpeg
import numpy as np
import openai
import psutil
import pytest
import soundfile

from tests.engines.metronome import RATE
from tests.studio.house import ENGINE
from tests.studio.programs import CLICK_S, FEW_STEPS, LINE, SPEECH, Reception, reception_of
from tests.waiting import PATIENCE_S, until

TEXT = "tick tock"
LONG = "x" * 200
FORMATS = ("mp3", "opus", "aac", "flac", "wav", "pcm")
PADDING_S = 0.25  # that coders add
KEY = "0123456789abcdef"


@pytest.fixture(scope="module")
def reception(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reception]:
    with reception_of(tmp_path_factory.mktemp("openai")) as opened:
        yield opened


@pytest.fixture
def client(reception: Reception) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{reception.url}/v1", api_key="none", max_retries=0, timeout=PATIENCE_S) as made:
        yield made
    reception.go.set()
    reception.step_while_go_is_set()
    until(lambda: not reception.studio.manager.queue())


def duration_s(sound: bytes, format: str) -> float:
    """As ffmpeg plays it."""
    bare = ["-f", "s16le", "-ar", "24000", "-ac", "1"] if format == "pcm" else []
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", *bare, "-i", "-", "-f", "s16le", "-ar", "24000", "-"]
    played = subprocess.run(command, input=sound, capture_output=True, check=True).stdout
    samples = np.frombuffer(played, "<i2")
    assert np.abs(samples).max() > 0
    return len(samples) / 24_000


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_plays(client: openai.OpenAI, format: Any) -> None:
    sound = client.audio.speech.create(model=ENGINE, voice="ahri", input=TEXT, response_format=format).content
    assert duration_s(sound, format) == pytest.approx(CLICK_S * len(TEXT), abs=PADDING_S)


def test_flac_contains_its_length_and_the_digest_of_its_samples(client: openai.OpenAI) -> None:
    sound = client.audio.speech.create(model=ENGINE, voice="ahri", input=TEXT, response_format="flac").content
    samples, rate = soundfile.read(io.BytesIO(sound))
    assert (len(samples) / rate, soundfile.info(io.BytesIO(sound)).duration) == (
        CLICK_S * len(TEXT),
        CLICK_S * len(TEXT),
    )
    assert sound[26:42] != bytes(16)  # the MD5 in STREAMINFO


def test_flac_is_sent_while_it_is_made_if_requested(reception: Reception) -> None:
    answer = reception.ask(response_format="flac", stream=True)
    assert (answer.headers["transfer-encoding"], answer.content[:4]) == ("chunked", b"fLaC")


@pytest.mark.parametrize("format", ["wav", "pcm", "mp3"])
def test_the_first_bytes_come_before_the_last_are_made(
    reception: Reception, client: openai.OpenAI, format: Any
) -> None:
    reception.go.clear()
    reception.let_steps(40)
    asked = {"model": ENGINE, "voice": "ahri", "input": LONG, "response_format": format}
    with client.audio.speech.with_streaming_response.create(**asked) as answer:
        parts = answer.iter_bytes(256)
        heard = next(parts)
        assert len(reception.metronome.steps) and reception.studio.manager.queue()
        reception.go.set()
        heard += b"".join(parts)
    assert duration_s(heard, format) == pytest.approx(CLICK_S * len(LONG), abs=PADDING_S)


def test_server_sent_events_carry_the_sound_and_an_end(reception: Reception) -> None:
    answer = reception.ask(stream_format="sse", response_format="pcm")
    events = [json.loads(line.removeprefix("data: ")) for line in answer.text.split("\n\n") if line]
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert [event["type"] for event in events[:-1]] == ["speech.audio.delta"] * (len(events) - 1)
    sound = b"".join(base64.b64decode(event["audio"]) for event in events[:-1])
    assert len(sound) / 2 / 24_000 == CLICK_S * len(TEXT)
    assert events[-1] == {
        "type": "speech.audio.done",
        "usage": {"input_tokens": len(TEXT), "output_tokens": 0, "total_tokens": len(TEXT)},
    }


def test_an_error_that_comes_too_late_for_a_status_is_an_event(reception: Reception) -> None:
    with reception_that_breaks_after(reception, steps=FEW_STEPS):
        answer = reception.ask(input=LONG, stream_format="sse", response_format="pcm")
    last = json.loads(answer.text.strip().rpartition("data: ")[2])
    assert (answer.status_code, last["type"], last["error"]["code"]) == (200, "error", "engine_failed")
    assert "try again when tick is ready" in last["error"]["detail"]


def test_sound_that_breaks_off_is_no_whole_answer(reception: Reception) -> None:
    with reception_that_breaks_after(reception, steps=3), pytest.raises(httpx.RemoteProtocolError):
        reception.ask()


class reception_that_breaks_after:
    """The engine fails after so many steps, once; it is loaded again then."""

    def __init__(self, reception: Reception, steps: int) -> None:
        self.metronome, self.until, self.reception = (
            reception.metronome,
            len(reception.metronome.steps) + steps,
            reception,
        )

    def __enter__(self) -> None:
        def breaking() -> None:
            if len(self.metronome.steps) >= self.until:
                self.metronome.broken, self.until = RuntimeError("the spring is worn"), 10**9

        self.metronome.gate = breaking

    def __exit__(self, *_: object) -> None:
        self.reception.step_while_go_is_set()
        until(lambda: self.reception.studio.manager.status(ENGINE).state == "ready")


def test_errors_arrive_typed_with_a_code_and_what_to_do(client: openai.OpenAI) -> None:
    speak = client.audio.speech.create
    with pytest.raises(openai.NotFoundError) as nobody:
        speak(model=ENGINE, voice="nobody", input=TEXT)
    assert (nobody.value.code, nobody.value.response.headers["content-type"]) == (
        "unknown_champion",
        "application/problem+json",
    )
    with pytest.raises(openai.NotFoundError) as model:
        speak(model="tts-1", voice="ahri", input=TEXT)
    assert model.value.code == "unknown_engine"
    assert (nobody.value.type, "choose a voice from GET /v1/voices" in str(nobody.value)) == (
        "invalid_request_error",
        True,
    )
    with pytest.raises(openai.UnprocessableEntityError) as long:
        speak(model=ENGINE, voice="ahri", input="x" * 5_001)
    assert (long.value.code, long.value.param) == ("invalid_request", "input")


def test_a_voice_may_be_an_object_and_a_sample_and_further_fields_are_settings(
    reception: Reception, client: openai.OpenAI
) -> None:
    client.audio.speech.create(
        model=ENGINE, voice={"id": "anna"}, input=TEXT, speed=0.5, response_format="pcm", extra_body={"seed": 3}
    )
    request = list(reception.metronome.requests.values())[-1]
    assert (request.seed, request.settings, request.reference.transcript) == (
        3,
        {"speed": 0.5},
        "one two three four five six",
    )


def test_models_and_voices_are_listed(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == [ENGINE]
    assert client.models.retrieve(ENGINE).owned_by == "champion-voice-studio"
    voices = client.get("/voices", cast_to=httpx.Response).json()["data"]
    assert [(voice["id"], voice["kind"]) for voice in voices] == [("ahri", "champion"), ("anna", "sample")]


def test_a_cancelled_stream_frees_the_device_within_a_step(reception: Reception, client: openai.OpenAI) -> None:
    reception.go.clear()
    reception.let_steps(20)
    asked = {"model": ENGINE, "voice": "ahri", "input": LONG, "response_format": "pcm"}
    with client.audio.speech.with_streaming_response.create(**asked) as answer:
        next(answer.iter_bytes(256))
    gone(reception)


def test_whoever_leaves_leaves_no_coder_behind(reception: Reception, client: openai.OpenAI) -> None:
    def coders() -> list[psutil.Process]:
        return [child for child in psutil.Process().children() if "ffmpeg" in child.name()]

    reception.go.clear()
    reception.let_steps(150)  # of which a coder writes something
    with client.audio.speech.with_streaming_response.create(
        model=ENGINE, voice="ahri", input=LONG, response_format="mp3"
    ) as answer:
        next(answer.iter_bytes(256))
        until(coders)
    reception.go.set()
    until(lambda: not coders())


def test_a_request_is_stopped_by_its_id_and_by_nobody_else(reception: Reception, client: openai.OpenAI) -> None:
    reception.go.clear()
    reception.let_steps(20)
    asked = {"model": ENGINE, "voice": "ahri", "input": LONG, "response_format": "pcm"}
    with client.audio.speech.with_streaming_response.create(**asked) as answer:
        id, parts = answer.headers["x-request-id"], answer.iter_bytes(256)
        next(parts)
        unknown = httpx.delete(f"{reception.url}{SPEECH}/{id}x")
        assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown_request")
        assert httpx.delete(f"{reception.url}{SPEECH}/{id}").status_code == 204
        gone(reception)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("way", [{"stream": True}, {"stream_format": "sse"}, {"check": True}])
def test_a_stopped_answer_ends_properly_and_nothing_is_logged(
    reception: Reception, client: openai.OpenAI, caplog: pytest.LogCaptureFixture, format: str, way: dict[str, Any]
) -> None:
    reception.go.clear()
    reception.let_steps(FEW_STEPS)
    id = f"stopped-{format}-{next(iter(way))}"
    body = {"input": LONG, "voice": "ahri", "response_format": format, **way}
    asked = reception.asking_with(body, {"x-request-id": id})
    until(lambda: reception.studio.manager.queue()[0].status.progress > 0)
    assert httpx.delete(f"{reception.url}{SPEECH}/{id}").status_code == 204
    gone(reception)
    answer = asked.answer()
    if "check" in way:
        assert (answer.status_code, answer.json()["code"]) == (400, "cancelled")
    elif "stream_format" in way:
        assert json.loads(answer.text.strip().rpartition("data: ")[2])["error"]["code"] == "cancelled"
    else:
        assert (answer.status_code, 0 < duration_s(answer.content, format) < len(LONG) * CLICK_S) == (200, True)
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def gone(reception: Reception) -> None:
    """The scheduler holds nothing, and the engine made at most the step it was in when it was told to stop."""
    until(lambda: reception.studio.manager._scheduler._endings._failures)
    made = len(reception.metronome.steps)
    reception.go.set()
    until(lambda: not reception.studio.manager.queue())
    assert (len(reception.metronome.steps) - made <= 1, reception.metronome.jobs) == (True, {})


def test_game_clients_get_a_whole_wav(reception: Reception) -> None:
    asked = {"championId": "ahri", "text": TEXT, "language": "en"}
    answer = httpx.post(f"{reception.url}/voice/generate", json=asked, timeout=PATIENCE_S)
    info = soundfile.info(io.BytesIO(answer.content))
    assert (answer.status_code, info.samplerate, info.duration) == (200, RATE, CLICK_S * len(TEXT))
    refused = httpx.post(f"{reception.url}/voice/generate", json=asked | {"language": "not a tag"}, timeout=PATIENCE_S)
    assert (refused.status_code, "is not valid" in refused.json()["detail"]) == (400, True)


def test_without_a_key_nothing_is_spoken_where_keys_are_set(tmp_path: Path) -> None:
    with reception_of(tmp_path, api_keys=f"game:{KEY},tools:{KEY}2") as opened:
        refused = opened.ask()
        assert (refused.status_code, refused.headers["www-authenticate"].split()[0]) == (401, "Bearer")
        for key, status in ((KEY, 200), (KEY + "2", 200), (KEY + "3", 401), ("x", 401)):
            headers = {"authorization": f"Bearer {key}"}
            assert (
                httpx.post(f"{opened.url}{SPEECH}", json=LINE, headers=headers, timeout=PATIENCE_S).status_code
                == status
            )
        for path in ("/v1/models", "/v1/voices"):
            assert httpx.get(f"{opened.url}{path}").json()["code"] == "key_needed"
        assert httpx.get(f"{opened.url}/studio/voices").json()  # the page asks for no key


@pytest.mark.parametrize(
    ("limit", "says"),
    [("api_requests_per_minute", "2 requests per minute"), ("api_characters_per_minute", "20 characters per minute")],
)
def test_each_caller_has_its_own_share_of_a_minute(tmp_path: Path, limit: str, says: str) -> None:
    keys = {"api_keys": f"game:{KEY},tools:{KEY}2", limit: int(says.split()[0])}
    with reception_of(tmp_path, **keys) as opened:
        asked = [
            httpx.post(
                f"{opened.url}{SPEECH}", json=LINE, headers={"authorization": f"Bearer {key}"}, timeout=PATIENCE_S
            )
            for key in (KEY, KEY, KEY, KEY + "2")
        ]
    assert [answer.status_code for answer in asked] == [200, 200, 429, 200]
    assert (asked[2].json()["code"], says in asked[2].json()["detail"]) == ("limit_reached", True)
    assert 0 < int(asked[2].headers["retry-after"]) <= 60


def test_only_so_many_streams_at_a_time(tmp_path: Path) -> None:
    with reception_of(tmp_path, api_streams=1) as opened:
        opened.go.clear()
        first = opened.asking()
        second = opened.ask()
        opened.go.set()
        assert (first.answer().status_code, second.status_code) == (200, 429)
        assert opened.ask().status_code == 200


def test_other_sites_pages_may_use_the_api_only_where_they_are_named(tmp_path: Path) -> None:
    with reception_of(tmp_path, cors_origins="https://game.example") as opened:
        for origin, status in (("https://game.example", 200), ("https://evil.example", 403)):
            headers = {"origin": origin, "sec-fetch-site": "cross-site"}
            answer = httpx.post(f"{opened.url}{SPEECH}", json=LINE, headers=headers, timeout=PATIENCE_S)
            assert (answer.status_code, answer.headers.get("access-control-allow-origin") == origin) == (
                status,
                status == 200,
            )
        headers = {"origin": "https://game.example"}
        asks = headers | {"access-control-request-method": "POST", "access-control-request-headers": "authorization"}
        allowed = httpx.options(f"{opened.url}{SPEECH}", headers=asks)
        assert (allowed.status_code, "authorization" in allowed.headers["access-control-allow-headers"]) == (200, True)
        assert (
            httpx.options(f"{opened.url}{SPEECH}", headers=asks | {"origin": "https://evil.example"}).status_code == 400
        )
        assert "access-control-allow-origin" not in httpx.get(f"{opened.url}/studio/takes", headers=headers).headers
        assert httpx.post(f"{opened.url}/studio/script", json={"text": "x"}, headers=headers).status_code == 403
