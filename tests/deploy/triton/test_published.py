"""The models with the names and tensors of the Triton models that F5-TTS and Spark-TTS publish."""

import argparse
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile
import tritonclient.grpc as client

from deploy.triton.published.chunks import overlapping
from deploy.triton.repository import PUBLISHED, PUBLISHED_CODE, _streamable, write_repository
from engines.audio import resample
from engines.types import Audio
from tests.deploy.triton import load
from tests.deploy.triton.clicking import python_for
from tests.deploy.triton.grpc_requests import answers_of
from tests.deploy.triton.measuring import CLICK_S, LINE, LONGEST_S, MODULE, RATES, STEP
from tests.deploy.triton.serving import ROOT, Stack, on_linux, served

VOICE = ROOT / "assets" / "voices" / "references" / "amber.flac"
TRANSCRIPT = VOICE.with_suffix(".txt").read_text("utf-8").strip()
ENGINES = {"f5_tts": "f5", "spark_tts": "spark"}
CROSS_FADE_S = 0.1  # of Spark-TTS's client
INPUTS = {"reference_wav": "FP32", "reference_wav_len": "INT32", "reference_text": "BYTES", "target_text": "BYTES"}


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Serve f5_tts, spark_tts as a stream, and models whose engine is absent or has another rate."""
    folder = tmp_path_factory.mktemp("published")
    for name, engine in (("absent", "nobody"), ("other_rate", "f5")):
        altered(folder / "models" / name, engine)
    settings = {"TRITON_STREAMING": "spark_tts", "STUDIO_ENGINES": "f5,spark", "TRITON_INSTANCES": 2}
    python = python_for(folder, MODULE)
    with served(folder / "served", PYTHON=python, MODEL_REPOSITORY=folder / "models", **settings) as running:
        yield running


@pytest.fixture(scope="module")
def triton(stack: Stack) -> Iterator[client.InferenceServerClient]:
    with client.InferenceServerClient(stack.grpc) as opened:
        yield opened


def altered(model: Path, engine: str) -> None:
    """Write the model spark_tts with another engine."""
    (model / "1").mkdir(parents=True)
    config = (PUBLISHED / "spark_tts" / "config.pbtxt").read_text("utf-8")
    (model / "config.pbtxt").write_text(config.replace('"spark"', f'"{engine}"'), "utf-8")
    for name, path in PUBLISHED_CODE.items():
        (model / "1" / name).write_bytes(path.read_bytes())


def reference(rate: int) -> np.ndarray:
    samples, own = soundfile.read(VOICE, dtype="float32")
    return resample(Audio(samples, own), rate).samples


def asked(rate: int, **changed: object) -> list[client.InferInput]:
    """Return the inputs of a published client, which pads the reference; `changed` replaces some, None removes an input."""
    sound = reference(rate)
    padded = np.pad(sound, (0, 10 * rate))
    values = {
        "reference_wav": padded,
        "reference_wav_len": len(sound),
        "reference_text": TRANSCRIPT,
        "target_text": LINE,
    }
    made = []
    for name, value in {**values, **changed}.items():
        if value is not None:
            text = value.encode() if isinstance(value, str) else value
            kind = {"FP32": np.float32, "INT32": np.int32, "BYTES": np.object_}[INPUTS[name]]
            tensor = np.array(text, kind).reshape(1, -1)
            made.append(client.InferInput(name, tensor.shape, INPUTS[name]))
            made[-1].set_data_from_numpy(tensor)
    return made


def streamed(triton: client.InferenceServerClient, model: str, inputs: Sequence[client.InferInput]) -> list[np.ndarray]:
    return [answer.as_numpy("waveform") for answer in answers_of(triton, model, list(inputs))]


def expect_measured(waveform: np.ndarray, rate: int) -> None:
    """Check the length, every sample, and the length of the reference that arrived."""
    length = round(CLICK_S * rate)
    assert len(waveform) == len(LINE) * length
    assert np.abs(waveform[:-length] - STEP * np.arange(len(waveform) - length)).max() <= 2 * STEP
    assert waveform[-1] * LONGEST_S == pytest.approx(len(reference(rate)) / rate, abs=0.1)


@on_linux
@pytest.mark.parametrize("model", ENGINES)
def test_a_model_has_the_published_tensors_and_a_batch_dimension(
    triton: client.InferenceServerClient, model: str
) -> None:
    described = triton.get_model_metadata(model)
    inputs = {each.name: (each.datatype, list(each.shape)) for each in described.inputs}
    single = {name: (kind, [-1, 1]) for name, kind in INPUTS.items()}
    assert inputs == {**single, "reference_wav": ("FP32", [-1, -1])}
    assert [(each.name, each.datatype, list(each.shape)) for each in described.outputs] == [
        ("waveform", "FP32", [-1, -1])
    ]


@on_linux
def test_a_model_returns_the_whole_waveform_over_grpc(triton: client.InferenceServerClient) -> None:
    waveform = triton.infer("f5_tts", asked(RATES["f5"])).as_numpy("waveform")
    assert (waveform.dtype, waveform.ndim) == (np.float32, 2)
    expect_measured(waveform[0], RATES["f5"])


@on_linux
def test_a_model_returns_the_whole_waveform_over_http(stack: Stack) -> None:
    sound = reference(RATES["f5"])
    values = {"reference_wav": [sound.tolist()], "reference_wav_len": [[len(sound)]]}
    values |= {"reference_text": [TRANSCRIPT], "target_text": [LINE]}
    shapes = {"reference_wav": [1, len(sound)]}
    inputs = [
        {"name": name, "shape": shapes.get(name, [1, 1]), "datatype": INPUTS[name], "data": value}
        for name, value in values.items()
    ]
    answer = stack.public.post("/v2/models/f5_tts/infer?request_id=0", json={"inputs": inputs})
    assert answer.status_code == 200, answer.text
    (output,) = answer.json()["outputs"]
    expect_measured(np.array(output["data"], np.float32), RATES["f5"])


@on_linux
def test_a_stream_returns_chunks_that_overlap_by_the_cross_fade(triton: client.InferenceServerClient) -> None:
    overlap = round(CROSS_FADE_S * RATES["spark"])
    chunks = [chunk[0] for chunk in streamed(triton, "spark_tts", asked(RATES["spark"]))]
    assert len(chunks) > 1
    for earlier, later in pairwise(chunks):
        assert np.array_equal(earlier[-overlap:], later[:overlap])
    expect_measured(np.concatenate([chunks[0], *(chunk[overlap:] for chunk in chunks[1:])]), RATES["spark"])


SOUND = reference(RATES["f5"])
NOT_FINITE = [np.where(np.arange(len(SOUND)) == 100, value, SOUND) for value in (np.nan, -np.inf)]
HOSTILE: dict[str, tuple[dict[str, object], str]] = {
    "NaN": ({"reference_wav": NOT_FINITE[0]}, "reference_wav contains NaN or infinity"),
    "infinity": ({"reference_wav": NOT_FINITE[1]}, "reference_wav contains NaN or infinity"),
    "no length": ({"reference_wav_len": 0}, "reference_wav_len is 0, but reference_wav has"),
    "a negative length": ({"reference_wav_len": -1}, "reference_wav_len is -1, but reference_wav has"),
    "too long": ({"reference_wav_len": 2**31 - 1}, "send the number of samples before the padding"),
    "no samples": ({"reference_wav": [], "reference_wav_len": 0}, "but reference_wav has 0 samples"),
    "silence": ({"reference_wav": 0 * SOUND}, "No voice found"),
    "no reference": ({"reference_wav": None, "reference_wav_len": None}, "reference_wav is missing"),
    "no text": ({"target_text": None}, "target_text is missing"),
    "a huge text": ({"target_text": "word " * 200_000}, "shorten the text to at most 5,000"),
    "a huge transcript": ({"reference_text": "word " * 200_000}, "shorten the text to at most 5,000"),
    "no UTF-8": ({"target_text": b"\xff\xfeclick"}, "target_text is not valid UTF-8"),
    "a transcript without UTF-8": ({"reference_text": b"\xed\xa0\x80"}, "reference_text is not valid UTF-8"),
    "no words": ({"target_text": ""}, "has no words"),
}


@on_linux
@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_request_returns_a_sentence(stack: Stack, triton: client.InferenceServerClient, case: str) -> None:
    changed, says = HOSTILE[case]
    before = load.processes(stack)
    with pytest.raises(client.InferenceServerException, match=says) as refused:
        triton.infer("f5_tts", asked(RATES["f5"], **changed))
    assert refused.value.status() == "StatusCode.INVALID_ARGUMENT"
    assert load.processes(stack) == before


@on_linux
@pytest.mark.parametrize("case", ["NaN", "too long", "no UTF-8"])
def test_a_stream_of_a_hostile_request_ends_with_a_sentence(triton: client.InferenceServerClient, case: str) -> None:
    changed, says = HOSTILE[case]
    with pytest.raises(client.InferenceServerException, match=says):
        streamed(triton, "spark_tts", asked(RATES["spark"], **changed))


@on_linux
def test_samples_above_full_scale_are_scaled_down(triton: client.InferenceServerClient) -> None:
    waveform = triton.infer("f5_tts", asked(RATES["f5"], reference_wav=32_768 * SOUND)).as_numpy("waveform")
    expect_measured(waveform[0], RATES["f5"])


@on_linux
@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("absent", "does not run the engine nobody; add nobody to STUDIO_ENGINES"),
        ("other_rate", "the engine f5 speaks at 24000 Hz, but clients of this model expect 16000 Hz"),
    ],
)
def test_a_model_without_its_engine_loads_and_answers_with_a_sentence(
    triton: client.InferenceServerClient, model: str, says: str
) -> None:
    assert triton.is_model_ready(model)
    with pytest.raises(client.InferenceServerException, match=says):
        triton.infer(model, asked(RATES["spark"]))


@pytest.mark.parametrize("lengths", [[], [1], [5], [6], [1] * 40, [7, 1, 30, 2, 2], [50, 1], [3, 3, 3]])
@pytest.mark.parametrize("overlap", [0, 3])
def test_chunks_overlap_and_are_long_enough_for_a_cross_fade(lengths: list[int], overlap: int) -> None:
    whole = np.arange(sum(lengths), dtype=np.float32)
    chunks = list(overlapping(np.split(whole, np.cumsum(lengths)[:-1]) if lengths else [], overlap))
    for earlier, later in pairwise(chunks):
        assert np.array_equal(earlier[len(earlier) - overlap :], later[:overlap])
    assert all(len(chunk) >= 2 * overlap for chunk in chunks[1:])
    joined = [chunk[overlap if number else 0 :] for number, chunk in enumerate(chunks)]
    assert np.array_equal(np.concatenate([np.empty(0), *joined]), whole)


def test_a_stream_starts_before_its_audio_ends() -> None:
    pieces = iter([np.zeros(6), np.zeros(6)])
    assert len(next(overlapping(pieces, 3))) == 3
    assert len(list(pieces)) == 1


@pytest.mark.long
def test_only_models_in_the_list_of_streaming_models_stream(tmp_path: Path) -> None:
    write_repository(tmp_path / "whole")
    write_repository(tmp_path / "streamed", streaming=["spark_tts"])
    configs = [(tmp_path / way / "spark_tts" / "config.pbtxt").read_text() for way in ("whole", "streamed")]
    assert configs[1] == configs[0].replace("decoupled: false", "decoupled: true") != configs[0]


@pytest.mark.long
@pytest.mark.parametrize("name", ["f5_tts", "nobody"])
def test_a_model_that_cannot_stream_is_refused(name: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is not one of spark_tts; correct TRITON_STREAMING"):
        _streamable(name)
