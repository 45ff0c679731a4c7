"""Triton without SageMaker, run by `serve`: engines for any champion or reference, whole and as a stream."""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import tritonclient.grpc as client

from deploy.triton.repository import MODELS, SHIM, write_repository
from studio.champion_format.members import REQUIRED, VOICE_MEMBERS
from tests.deploy.triton.grpc_requests import given, streamed
from tests.deploy.triton.serving import ROOT, Stack, on_linux, served
from tests.studio.champions.hearing import understood
from tests.waiting import until

LINE = "Our base is under attack."
README = (ROOT / "deploy" / "triton" / "README.md").read_text("utf-8")
VOICE = ROOT / "assets" / "voices" / "references" / "amber.flac"


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with served(tmp_path_factory.mktemp("plain")) as running:
        yield running


@pytest.fixture(scope="module")
def triton(stack: Stack) -> Iterator[client.InferenceServerClient]:
    with client.InferenceServerClient(stack.grpc) as opened:
        yield opened


def wav_of(samples: np.ndarray, rate: int) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format="WAV")
    return file.getvalue()


@on_linux
@pytest.mark.long
@pytest.mark.parametrize("model", ["f5tts", "s1mini"])
def test_an_engine_returns_the_line_of_a_voice_as_samples(triton: client.InferenceServerClient, model: str) -> None:
    answer = triton.infer(model, given(text=LINE, champion_id="amber", seed=2, language="en"))
    audio, rate = answer.as_numpy("audio"), answer.as_numpy("sample_rate")
    assert (audio.dtype, rate.dtype, answer.as_numpy("wav")) == (np.int16, np.int32, None)
    assert understood(wav_of(audio, int(rate[0]))) == LINE


@on_linux
@pytest.mark.long
@pytest.mark.parametrize("model", ["f5tts_stream", "s1mini_stream"])
def test_a_stream_returns_the_same_audio_in_parts_and_then_ends(
    triton: client.InferenceServerClient, model: str
) -> None:
    asked = {"text": LINE, "champion_id": "amber", "seed": 2}
    answers = list(streamed(triton, model, **asked))
    pieces = [answer.as_numpy("audio") for answer in answers]
    whole = triton.infer(model.removesuffix("_stream"), given(**asked)).as_numpy("audio")
    assert len(pieces) > 1
    joined = np.concatenate(pieces)
    assert len(joined) == len(whole)
    assert understood(wav_of(joined, int(answers[0].as_numpy("sample_rate")[0]))) == LINE


@on_linux
@pytest.mark.long
def test_the_program_in_the_readme_receives_the_line(stack: Stack) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, Any] = {}
    exec(program.replace("127.0.0.1:8001", stack.grpc), names)
    assert 0.5 < len(names["audio"]) / 24_000 < 4


@on_linux
@pytest.mark.long
def test_a_reference_in_the_request_is_used(triton: client.InferenceServerClient) -> None:
    """Send a reference like Spark-TTS's clients, with padding far longer than an engine's longest reference."""
    samples, rate = soundfile.read(VOICE, dtype="float32")
    reference = {
        "reference_wav": np.pad(samples, (0, 60 * rate)),
        "reference_wav_len": np.int32(len(samples)),
        "reference_sample_rate": np.int32(rate),
        "reference_text": VOICE.with_suffix(".txt").read_text("utf-8").strip(),
    }
    wanted = [client.InferRequestedOutput("wav")]
    answer = triton.infer("s1mini", given(target_text=LINE, seed=2, **reference), outputs=wanted)
    assert understood(answer.as_numpy("wav")[0]) == LINE


@on_linux
@pytest.mark.long
def test_the_settings_reach_the_engine(triton: client.InferenceServerClient) -> None:
    asked = {"text": "Who goes there?", "champion_id": "amber", "seed": 2, "settings": '{"steps": 4}'}
    slow, fast = (
        len(triton.infer("f5tts", given(**asked, speed=np.float32(speed))).as_numpy("audio")) for speed in (1, 2)
    )
    assert slow > 1.5 * fast


@on_linux
@pytest.mark.long
def test_cancelling_a_stream_stops_the_studios_work(stack: Stack, triton: client.InferenceServerClient) -> None:
    before = cancelled(stack)
    long = streamed(triton, "s1mini_stream", text=" ".join([LINE] * 20), champion_id="amber")
    assert len(next(long).as_numpy("audio"))
    triton.stop_stream(cancel_requests=True)
    until(lambda: cancelled(stack) == before + 1)


@on_linux
@pytest.mark.long
def test_a_cancelled_whole_answer_is_stopped_too(stack: Stack, triton: client.InferenceServerClient) -> None:
    before = cancelled(stack)
    asked = given(text=" ".join([LINE] * 20), champion_id="amber")
    call = triton.async_infer("s1mini", asked, callback=lambda result, error: None)
    until(lambda: stack.studio.get("/studio/telemetry?series=false").json()["running"])
    call.cancel()
    until(lambda: cancelled(stack) == before + 1)


@on_linux
@pytest.mark.long
def test_one_model_speaks_many_lines_at_a_time(stack: Stack, triton: client.InferenceServerClient) -> None:
    before, ended = arrived(stack), []
    for number in range(3):
        asked = given(text=LINE, champion_id="amber", seed=number)
        triton.async_infer("s1mini", asked, callback=lambda result, error: ended.append(error))
    until(lambda: arrived(stack) == before + 3)
    assert ended == []
    until(lambda: ended == [None] * 3)


@on_linux
@pytest.mark.long
@pytest.mark.parametrize(
    ("inputs", "status", "says"),
    [
        ({"champion_id": "nobody"}, "NOT_FOUND", "champion nobody not found"),
        ({}, "INVALID_ARGUMENT", "send a champion_id, or reference_wav and reference_text"),
        ({"champion_id": "amber", "language": "f"}, "INVALID_ARGUMENT", "not valid"),
        ({"champion_id": "amber", "settings": "{"}, "INVALID_ARGUMENT", ""),
        ({"champion_id": "amber", "speed": np.float32(99)}, "INVALID_ARGUMENT", "0.3 to 2.5"),
    ],
)
@pytest.mark.parametrize("model", ["f5tts", "f5tts_stream"])
def test_a_refusal_has_a_code_and_a_message(
    triton: client.InferenceServerClient, model: str, inputs: dict[str, object], status: str, says: str
) -> None:
    with pytest.raises(client.InferenceServerException) as refused:
        list(streamed(triton, model, text=LINE, **inputs)) if "stream" in model else triton.infer(
            model, given(text=LINE, **inputs)
        )
    assert says in refused.value.message()
    assert "stream" in model or refused.value.status() == f"StatusCode.{status}"


def cancelled(stack: Stack) -> int:
    return int(stack.studio.get("/studio/telemetry?series=false").json()["outcomes"].get("cancelled", 0))


def arrived(stack: Stack) -> int:
    return int(stack.studio.get("/studio/telemetry?series=false").json()["outcomes"].get("arrived", 0))


def test_every_model_of_the_repository_is_the_same_shim(tmp_path: Path) -> None:
    (tmp_path / "ahri").mkdir()
    write_repository(tmp_path, instances=9)
    models = sorted(path.name for path in tmp_path.iterdir())
    assert models == ["ahri", "f5_tts", "f5tts", "f5tts_stream", "s1mini", "s1mini_stream", "spark_tts"]
    for config in MODELS.glob("*/config.pbtxt"):
        model = tmp_path / config.parent.name
        assert (model / "config.pbtxt").read_text() == config.read_text().replace("count: 3", "count: 9")
        assert (model / "1" / "model.py").read_bytes() == SHIM.read_bytes()


def test_the_shim_sends_every_member_a_champion_may_have() -> None:
    code = SHIM.read_text("utf-8")
    assert {name for name in VOICE_MEMBERS if f'"{name}"' not in code} == set()
    assert set(REQUIRED) <= VOICE_MEMBERS
