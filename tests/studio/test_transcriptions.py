"""OpenAI's transcription by the official client: every format, times, refusals, keys and limits."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import openai
import pytest
import soundfile

from tests.studio.house import SAMPLE_RATE
from tests.studio.programs import Reception, reception_of
from tests.studio.test_reference_doors import HOSTILE
from tests.waiting import PATIENCE_S

ROUTE = "/v1/audio/transcriptions"
CLIP = Path(__file__).parents[2] / "assets" / "voices" / "references" / "edgar.flac"
LENGTH_S = soundfile.info(CLIP).duration
SAID = "All systems are ready, Captain. We can leave the harbor as soon as you give the order."
KEY = "0123456789abcdef"


@pytest.fixture(scope="module")
def reception(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reception]:
    with reception_of(tmp_path_factory.mktemp("transcriptions")) as opened:
        yield opened


@pytest.fixture
def transcribe(reception: Reception) -> Iterator[Any]:
    with openai.OpenAI(base_url=f"{reception.url}/v1", api_key="none", max_retries=0, timeout=PATIENCE_S) as client:
        yield lambda **asked: client.audio.transcriptions.create(file=CLIP, model="whisper-1", **asked)


def send(url: str, sound: bytes = b"", key: str = "", **fields: str) -> httpx.Response:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    files = {"file": ("clip", sound)}
    return httpx.post(f"{url}{ROUTE}", files=files, data=fields, headers=headers, timeout=PATIENCE_S)


def flac(samples: np.ndarray) -> bytes:  # type: ignore[type-arg]
    file = io.BytesIO()
    soundfile.write(file, samples, SAMPLE_RATE, format="FLAC")
    return file.getvalue()


def test_json_is_the_text_with_capitals_and_punctuation(transcribe: Any) -> None:
    heard = transcribe()
    assert (heard.text, heard.usage.type, heard.usage.seconds) == (SAID, "duration", 6)


def test_text_is_the_text_alone(transcribe: Any) -> None:
    assert transcribe(response_format="text") == f"{SAID}\n"


def test_verbose_json_has_the_length_and_segments(transcribe: Any) -> None:
    heard = transcribe(response_format="verbose_json")
    assert (heard.task, heard.language, heard.text) == ("transcribe", "english", SAID)
    assert (heard.duration, heard.words) == (pytest.approx(LENGTH_S, abs=0.001), None)
    first, second = heard.segments
    assert (first.id, first.text) == (0, "All systems are ready, Captain.")
    assert (second.id, second.text) == (1, "We can leave the harbor as soon as you give the order.")
    assert 0 <= first.start < first.end <= second.start < second.end <= heard.duration + 0.001
    assert first.avg_logprob <= 0 and first.compression_ratio > 0


def test_words_have_times_in_order(transcribe: Any) -> None:
    heard = transcribe(response_format="verbose_json", timestamp_granularities=["word"])
    assert heard.segments is None
    assert " ".join(word.word for word in heard.words) == SAID
    times = [time for word in heard.words for time in (word.start, word.end)]
    assert times == sorted(times) and times[-1] <= heard.duration + 0.001
    assert all(0 < word.confidence <= 1 for word in heard.words)


def test_words_and_segments_come_together(transcribe: Any) -> None:
    heard = transcribe(response_format="verbose_json", timestamp_granularities=["word", "segment"])
    assert (len(heard.words), len(heard.segments)) == (17, 2)


def test_subtitles_have_a_caption_for_each_sentence(transcribe: Any) -> None:
    srt, vtt = (transcribe(response_format=format) for format in ("srt", "vtt"))
    first, second, end = srt.split("\n\n")
    assert (first.split("\n")[0], first.split("\n")[2], end) == ("1", "All systems are ready, Captain.", "")
    assert second.split("\n")[2:] == ["We can leave the harbor as", "soon as you give the order."]
    assert vtt == "WEBVTT\n\n" + "".join(
        line.partition("\n")[2].replace(",", ".", 2).replace("ready. Captain", "ready, Captain") + "\n\n"
        for line in (first, second)
    )


def test_fields_without_effect_are_named(reception: Reception) -> None:
    ignored = {
        "prompt": "Captain Edgar speaks.",
        "temperature": "0.5",
        "chunking_strategy": "auto",
        "include[]": "logprobs",
    }
    answer = send(reception.url, CLIP.read_bytes(), **ignored, language="en-US", stream="false")
    assert (answer.status_code, answer.json()["text"]) == (200, SAID)
    assert answer.headers["x-ignored"] == "prompt, temperature, chunking_strategy, include"
    answer = send(
        reception.url, CLIP.read_bytes(), **{"timestamp_granularities[]": "word"}
    )  # as the Vercel AI SDK sends
    assert (answer.json()["text"], answer.headers["x-ignored"]) == (SAID, "timestamp_granularities")


def test_silence_has_no_words(reception: Reception) -> None:
    quiet = 1e-5 * np.random.default_rng(0).standard_normal(2 * SAMPLE_RATE)
    for samples in (np.zeros(SAMPLE_RATE // 5), quiet):
        assert send(reception.url, flac(samples)).json()["text"] == ""


def test_channels_that_cancel_each_other_are_heard(reception: Reception) -> None:
    samples, rate = soundfile.read(CLIP, dtype="float32")
    file = io.BytesIO()
    soundfile.write(file, np.stack([samples, -samples], 1), rate, format="FLAC")
    assert send(reception.url, file.getvalue()).json()["text"] == SAID


@pytest.mark.parametrize(
    ("fields", "status", "says"),
    [
        ({"language": "de"}, 400, "language 'de' is not supported"),
        ({"timestamp_granularities[]": "phone", "response_format": "verbose_json"}, 422, "timestamp_granularities"),
        ({"response_format": "diarized_json"}, 422, "response_format"),
        ({"temperature": "7"}, 422, "temperature"),
        ({"stream": "true"}, 400, 'remove the field "stream"'),
        ({"diarize": "true"}, 422, "diarize"),
        ({"prompt": "x" * 5_001}, 422, "prompt"),
    ],
)
def test_a_wrong_field_is_refused_and_named(
    reception: Reception, fields: dict[str, str], status: int, says: str
) -> None:
    answer = send(reception.url, CLIP.read_bytes(), **fields)
    assert (answer.status_code, says in answer.json()["detail"]) == (status, True), answer.text
    assert answer.json()["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_is_not_sound_is_refused(reception: Reception, name: str) -> None:
    answer = send(reception.url, HOSTILE[name])
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_audio"), answer.text


def test_a_file_must_be_sent_and_must_not_be_empty(reception: Reception) -> None:
    assert send(reception.url).status_code == 400
    missing = httpx.post(f"{reception.url}{ROUTE}", data={"model": "whisper-1"}, timeout=PATIENCE_S)
    assert (missing.status_code, missing.json()["error"]["param"]) == (422, "file")


def test_a_file_that_is_too_long_or_too_large_is_refused(reception: Reception) -> None:
    long = send(reception.url, flac(np.zeros(301 * SAMPLE_RATE, np.int16)))
    assert (long.status_code, "at most 300 s" in long.json()["detail"]) == (400, True)
    large = send(reception.url, bytes(1_100_000))
    assert (large.status_code, "larger than 1 MB" in large.json()["detail"]) == (413, True)


def test_nothing_is_stored(reception: Reception) -> None:
    before = sorted(reception.studio.settings.data_dir.rglob("*"))
    assert send(reception.url, CLIP.read_bytes()).status_code == 200
    assert sorted(reception.studio.settings.data_dir.rglob("*")) == before


def test_keys_and_limits_apply(tmp_path: Path) -> None:
    with reception_of(tmp_path, api_keys=f"game:{KEY}", api_requests_per_minute=1) as opened:
        assert send(opened.url, CLIP.read_bytes()).json()["code"] == "key_needed"
        asked = [send(opened.url, flac(np.zeros(SAMPLE_RATE)), key=KEY, language=one) for one in ("de", "en", "en")]
    assert [answer.status_code for answer in asked] == [400, 200, 429]  # a refused request does not count


def test_ears_that_are_off_are_a_problem_that_says_so(tmp_path: Path) -> None:
    with reception_of(tmp_path, ears=False) as opened:
        answer = send(opened.url, CLIP.read_bytes())
    assert (answer.status_code, answer.json()["code"]) == (503, "ears_off")
    assert "STUDIO_EARS" in answer.json()["detail"]


def test_the_description_names_the_fields_and_the_formats(reception: Reception) -> None:
    described = reception.program.get("/openapi.json").json()
    route = described["paths"][ROUTE]["post"]
    assert set(route["requestBody"]["content"]) == {"multipart/form-data"}
    form = described["components"]["schemas"]["TranscriptionForm"]["properties"]
    assert {"file", "model", "language", "response_format", "timestamp_granularities[]"} <= set(form)
    assert set(route["responses"]["200"]["content"]) == {
        "application/json",
        "text/plain",
        "text/vtt",
        "application/x-subrip",
    }
