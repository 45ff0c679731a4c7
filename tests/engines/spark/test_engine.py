"""The Spark-TTS engine with random weights: prompts, the voice, batches and refusals."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bench.spark_checkpoints import TINY, write
from engines.base import Checkpoint, EngineJob
from engines.codec_lm import plan as planning
from engines.codec_lm.engine import CodecLmEngine
from engines.codec_lm.prompts import Turn
from engines.codec_lm.references import LEVEL_RMS
from engines.errors import BadAudio, BadCheckpoint, BadSetting, BadText
from engines.references import level_rms
from engines.registry import EngineOptions
from engines.spark.engine import make_engine
from engines.types import Audio, Reference, Request
from tests.engines.s1.test_engine import Listener, alone

RATE, VOICE = 16_000, 32


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop speech of random weights, which rarely ends by itself, sooner than that of trained ones."""
    monkeypatch.setattr(planning, "ROOM_S", 0.3)
    monkeypatch.setattr(planning, "SLOWEST_CHARACTERS_PER_S", 20.0)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    return write(tmp_path_factory.mktemp("tiny") / "spark", TINY)


@pytest.fixture(scope="module")
def engine(checkpoint: Checkpoint) -> CodecLmEngine:
    return loaded(checkpoint)


def loaded(checkpoint: Checkpoint) -> CodecLmEngine:
    engine = make_engine(EngineOptions(name="cpu", max_batch=3))
    for _ in engine.load(checkpoint):
        pass
    return engine


def job(number: int, text: str = "some words.", **settings: float) -> EngineJob:
    time = np.arange(RATE // 2 * (1 + number % 3)) / RATE
    tone = 0.1 * np.sin(2 * np.pi * 200 * (1 + number) * time).astype(np.float32)
    reference = Reference(Audio(tone, RATE), "what was said.")
    return EngineJob(
        str(number), Request(text=text, reference=reference, seed=number, engine="spark", settings=settings)
    )


def test_the_prompt_has_the_published_order(engine: CodecLmEngine) -> None:
    model: Any = engine.runtime.model
    voice, semantic = torch.arange(VOICE)[:, None].expand(-1, 3), torch.tensor([[5, 0, 8_191]])
    reference, earlier = Turn("ab", torch.cat((semantic, voice))), Turn("c", torch.cat((semantic[:, :1], voice[:, :1])))
    embedded = torch.cat((model.prompt.prefix(reference), model.prompt.rest(reference, [earlier, Turn("d")])))
    tokens = [int((model.network.embeddings.weight == row).all(1).nonzero()[0, 0]) for row in embedded]
    assert tokens[:2] == [165_137, 165_146]
    assert model.tokenizer.decode(tokens[2:6]) == "abcd"
    assert tokens[6:8] == [165_152, 165_150]
    assert tokens[8:40] == [151_665 + code for code in range(VOICE)]
    assert tokens[40:] == [165_156, 165_151, 155_766, 155_761, 163_952, 155_766]


def test_without_the_style_of_the_clip_the_prompt_has_only_its_voice(engine: CodecLmEngine) -> None:
    """The order is upstream's for a clip without a transcript; upstream lets the model write the start of the codes."""
    model: Any = engine.runtime.model
    prompt = model.prompt.with_settings({"clip_style": 0})
    voice = torch.arange(VOICE)[:, None].expand(-1, 3)
    reference, earlier = Turn("", torch.cat((torch.tensor([[5, 0, 8_191]]), voice))), Turn("c", torch.tensor([[7]]))
    embedded = torch.cat((prompt.prefix(reference), prompt.rest(reference, [earlier, Turn("d")])))
    tokens = [int((model.network.embeddings.weight == row).all(1).nonzero()[0, 0]) for row in embedded]
    assert model.tokenizer.decode(tokens[2:4]) == "cd"
    assert tokens[4:6] == [165_152, 165_150]
    assert tokens[6:38] == [151_665 + code for code in range(VOICE)]
    assert tokens[38:] == [165_156, 165_151, 155_768]


def test_a_clip_without_a_transcript_gives_only_its_voice(engine: CodecLmEngine) -> None:
    styled, plain = job(1, "word " * 4), job(1, "word " * 4, clip_style=0)
    silent = replace(plain.request, reference=replace(plain.request.reference, transcript=""))
    samples = alone(engine, EngineJob("1", silent))
    assert np.array_equal(samples, alone(engine, plain)) and len(samples) > RATE / 10
    assert not np.array_equal(samples, alone(engine, styled))
    with pytest.raises(BadText):
        engine.prepare(replace(silent, settings={}))


def test_a_batch_equals_single_requests(engine: CodecLmEngine) -> None:
    jobs = [job(number, "word " * (2 + 3 * number), clip_style=number % 2) for number in range(3)]
    wanted = [alone(engine, each) for each in jobs]
    listener = Listener(engine)
    for each in jobs:
        engine.admit(each)
        listener.step()
    listener.finish(*jobs)
    for each, samples in zip(jobs, wanted, strict=True):
        assert len(samples) > RATE / 10
        assert np.allclose(listener.audio(each), samples, atol=1e-4)


def test_every_frame_is_decoded_with_the_voice_of_the_reference(engine: CodecLmEngine) -> None:
    model: Any = engine.runtime.model
    streams, heard = engine.runtime.batch.audio_queue.streams, list[torch.Tensor]()
    decode = streams.decode

    def listening(packets: Any) -> Any:
        heard.extend(packet.codes for packet in packets)
        return decode(packets)

    streams.decode = listening  # type: ignore[method-assign]
    spoken = job(4, "word " * 6)
    samples = alone(engine, spoken)
    del streams.decode  # type: ignore[method-assign]
    codes = torch.cat(heard, 1)
    with torch.inference_mode():
        voice = model.encoder.encode(torch.from_numpy(spoken.request.reference.audio.samples))[1:, :1]
        whole = model.codec.codec.decode(codes[:1], codes[1:, 0][None])[0].numpy()
    assert torch.equal(codes[1:], voice.expand(-1, codes.shape[1]))
    start = np.correlate(whole, samples[:800], "valid").argmax()
    shared = min(len(whole) - start, len(samples)) - 800
    assert shared > RATE / 10
    assert np.corrcoef(whole[start:][:shared], samples[:shared])[0, 1] > 0.99


def conversion(number: int, seconds: float = 1.3) -> EngineJob:
    time = np.arange(round(RATE * seconds)) / RATE
    sweep = Audio(0.2 * np.sin(2 * np.pi * (150 + 300 * time) * time).astype(np.float32), RATE)
    return EngineJob(f"converted {number}", replace(job(number).request, text="", performance=sweep))


def test_a_conversion_has_the_speech_of_the_recording_and_the_voice_of_the_reference(
    engine: CodecLmEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    model: Any = engine.runtime.model
    converted = conversion(1)
    performance, reference = converted.request.performance, converted.request.reference
    assert performance is not None
    # Random weights give all clips the same voice codes; this gives each clip other ones.
    monkeypatch.setattr(
        model.encoder.codec, "encode_global", lambda samples, _: torch.arange(VOICE) + len(samples) % 4093
    )
    engine.clear("codes")
    with torch.inference_mode():
        spoken, voice = (
            model.encoder.encode(torch.from_numpy(audio.samples)) for audio in (performance, reference.audio)
        )
        right, wrong = (
            min(1.0, level_rms(reference.audio) / LEVEL_RMS)
            * model.codec.codec.decode(spoken[:1], codes[1:, 0][None])[0].numpy()
            for codes in (voice, spoken)
        )
    samples = alone(engine, converted)
    engine.clear("codes")
    assert len(performance.samples) - len(samples) < RATE / 40
    assert np.abs(samples - right).max() < 0.01 * np.abs(samples - wrong).max()


def test_a_conversion_beside_a_line_changes_neither(engine: CodecLmEngine) -> None:
    jobs = [conversion(1), job(2, "word " * 8)]
    wanted = [alone(engine, each) for each in jobs]
    listener = Listener(engine)
    for each in jobs:
        engine.admit(each)
        listener.step()
    listener.finish(*jobs)
    for each, samples in zip(jobs, wanted, strict=True):
        assert np.allclose(listener.audio(each), samples, atol=1e-4)


@pytest.mark.parametrize(
    ("seconds", "loudness", "why"), [(0.1, 1.0, "lasts 0.1 s"), (61.0, 1.0, "lasts 61.0 s"), (2.0, 0.0, "is silent")]
)
def test_an_unusable_recording_is_refused(engine: CodecLmEngine, seconds: float, loudness: float, why: str) -> None:
    request = conversion(1, seconds).request
    assert request.performance is not None
    recording = Audio(request.performance.samples * np.float32(loudness), RATE)
    with pytest.raises(BadAudio, match=why):
        engine.prepare(replace(request, performance=recording))


def test_a_recording_may_be_longer_by_the_padding_of_its_format(engine: CodecLmEngine) -> None:
    engine.prepare(conversion(1, 60.05).request)


def test_it_has_no_repetition_penalty(engine: CodecLmEngine) -> None:
    with pytest.raises(BadSetting, match="no setting repetition_penalty"):
        engine.prepare(job(1, repetition_penalty=1.2).request)


def test_without_weights_it_says_how_to_get_them(tmp_path: Path) -> None:
    for source, why in (("", "STUDIO_SPARK_CHECKPOINT"), (str(tmp_path), "the folder LLM is missing")):
        with pytest.raises(BadCheckpoint, match=why):
            loaded(Checkpoint(source))


def test_a_tokenizer_without_codes_is_refused(checkpoint: Checkpoint, tmp_path: Path) -> None:
    for each in Path(checkpoint.source).iterdir():
        if each.name != "LLM":
            (tmp_path / each.name).symlink_to(each)
    (tmp_path / "LLM").mkdir()
    text = (Path(checkpoint.source) / "LLM" / "tokenizer.json").read_text()
    (tmp_path / "LLM" / "tokenizer.json").write_text(text.replace("bicodec_semantic_0|", "other|"))
    with pytest.raises(BadCheckpoint, match="bicodec_semantic_0"):
        loaded(Checkpoint(str(tmp_path)))
