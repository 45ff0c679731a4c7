"""The Orpheus engine with random weights: prompts, voices, tags, batches, streams and refusals."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bench.orpheus_checkpoints import START, TINY, write, write_snac
from engines.base import Checkpoint, EngineJob
from engines.codec_lm import plan as planning
from engines.codec_lm.engine import CodecLmEngine
from engines.codec_lm.prompts import Turn
from engines.errors import BadCheckpoint, BadSetting
from engines.orpheus.engine import make_engine
from engines.orpheus.spec import TAGS, VOICES
from engines.registry import EngineOptions
from engines.types import Audio, Reference, Request
from tests.engines.s1.test_engine import Listener, alone

RATE, HOP = 24_000, 2_048


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop speech of random weights, which rarely ends by itself, sooner than that of trained ones."""
    monkeypatch.setattr(planning, "ROOM_S", 0.3)
    monkeypatch.setattr(planning, "SLOWEST_CHARACTERS_PER_S", 40.0)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    return write(tmp_path_factory.mktemp("tiny") / "orpheus", TINY)


@pytest.fixture(scope="module")
def engine(checkpoint: Checkpoint) -> CodecLmEngine:
    return loaded(checkpoint)


def loaded(checkpoint: Checkpoint) -> CodecLmEngine:
    engine = make_engine(EngineOptions(name="cpu", max_batch=3))
    for _ in engine.load(checkpoint):
        pass
    return engine


def job(number: int, text: str = "some words.", **settings: float) -> EngineJob:
    noise = np.random.default_rng(number).normal(0, 0.1, RATE // 4 * (1 + number % 3)).astype(np.float32)
    reference = Reference(Audio(noise, RATE), "what was said.")
    return EngineJob(
        str(number), Request(text=text, reference=reference, seed=number, engine="orpheus", settings=settings)
    )


def speaker(number: int, **settings: float) -> EngineJob:
    """A job with the reference of this number and one seed."""
    asked = Request(
        text="some words.", reference=job(number).request.reference, seed=1, engine="orpheus", settings=settings
    )
    return EngineJob("9", asked)


def ids(engine: CodecLmEngine, embedded: torch.Tensor) -> list[int]:
    """The tokens that a prompt embeds."""
    table: Any = engine.runtime.model.network
    return [int((table.embeddings.weight == row).all(1).nonzero()[0, 0]) for row in embedded]


def test_the_prompt_of_a_voice_has_the_published_tokens(engine: CodecLmEngine) -> None:
    prompt = engine.runtime.model.prompt.with_settings({"own_voice": 1})
    assert not prompt.reads_reference
    tokens = ids(engine, prompt.rest(Turn(""), [Turn("Hi (laugh)")]))
    words: Any = engine.runtime.model
    assert tokens[:2] == [128_259, 128_000]
    assert tokens[-4:] == [128_009, 128_260, 128_261, 128_257]
    assert words.tokenizer.decode(tokens[2:-4]) == f"{VOICES[0]}: Hi <laugh>"


def test_a_reference_is_an_earlier_turn_with_seven_tokens_a_frame(engine: CodecLmEngine) -> None:
    prompt = engine.runtime.model.prompt.with_settings({"own_voice": 0})
    codes = torch.arange(14).view(2, 7).T * 100  # frames of 0..600 and 700..1300
    tokens = ids(engine, prompt.prefix(Turn("a", codes)))
    spoken = [128_266 + step % 7 * 4_096 + 100 * step for step in range(14)]
    assert tokens[4:] == [128_260, 128_261, 128_257, *spoken, 128_258, 128_262]
    assert tokens[:2] == [128_259, 128_000]


def test_a_batch_equals_single_requests(engine: CodecLmEngine) -> None:
    jobs = [job(number, "word " * (2 + 3 * number), own_voice=number) for number in range(3)]
    wanted = [alone(engine, each) for each in jobs]
    listener = Listener(engine)
    for each in jobs:
        engine.admit(each)
        listener.step()
    listener.finish(*jobs)
    for each, samples in zip(jobs, wanted, strict=True):
        assert len(samples) >= HOP
        assert np.allclose(listener.audio(each), samples, atol=1e-4)


def test_the_reference_is_heard_only_without_an_own_voice(engine: CodecLmEngine) -> None:
    one, other = (speaker(number) for number in (1, 2))
    assert not np.array_equal(alone(engine, one), alone(engine, other))
    own = [speaker(number, own_voice=4) for number in (1, 2)]
    assert np.array_equal(*(alone(engine, each) for each in own))


def test_a_quiet_reference_does_not_lower_the_checkpoints_own_voice(engine: CodecLmEngine) -> None:
    usual = speaker(1, own_voice=4)
    audio, transcript = usual.request.reference.audio, usual.request.reference.transcript
    quiet = Reference(Audio(audio.samples / np.float32(100), audio.sample_rate), transcript)
    lowered = replace(usual, request=replace(usual.request, reference=quiet))
    assert np.array_equal(alone(engine, usual), alone(engine, lowered))


def test_streamed_audio_equals_the_whole_decode_from_the_first_frame_on(engine: CodecLmEngine) -> None:
    heard = []
    add = engine.runtime.batch.audio_queue.streams.decode

    def listening(packets: Any) -> Any:
        heard.extend(packet.codes for packet in packets)
        return add(packets)

    engine.runtime.batch.audio_queue.streams.decode = listening  # type: ignore[method-assign]
    samples = alone(engine, job(5, "word " * 6))
    del engine.runtime.batch.audio_queue.streams.decode  # type: ignore[method-assign]
    codes = torch.cat(heard, 1)
    model: Any = engine.runtime.model
    with torch.inference_mode():
        whole = model.codec.decode_windows(torch.zeros(1, dtype=torch.long), codes[None])[0]
    start = np.correlate(whole.numpy(), samples[:HOP], "valid").argmax()
    assert start < HOP  # only silence is cut
    shared = min(len(whole) - start, len(samples)) - HOP
    assert shared > 4 * HOP
    assert np.corrcoef(whole.numpy()[start:][:shared], samples[:shared])[0, 1] > 0.99


@pytest.mark.parametrize("tag", TAGS)
def test_each_tag_reaches_the_network(engine: CodecLmEngine, tag: str) -> None:
    plan: Any = engine.prepare(job(1, f"Well <{tag}> that was it.").request)
    assert f"({tag})" in plan.groups[0].text
    assert f"<{tag}>" in _text_of(engine, plan)


def _text_of(engine: CodecLmEngine, plan: Any) -> str:
    words: Any = engine.runtime.model
    return str(words.tokenizer.decode(ids(engine, plan.prompt.rest(Turn(""), [Turn(plan.groups[0].text)]))))


def test_settings_out_of_range_are_refused(engine: CodecLmEngine) -> None:
    with pytest.raises(BadSetting, match="built-in voice must be 0 to 8"):
        engine.prepare(job(1, own_voice=9).request)


def test_its_info_has_its_name_rate_and_tags(engine: CodecLmEngine) -> None:
    info = engine.info
    assert (info.name, info.sample_rate, info.markers) == ("orpheus", RATE, TAGS)
    assert [choice.backend for choice in info.backends] == ["torch", "torch", "torch"]


def refused(checkpoint: Checkpoint) -> str:
    with pytest.raises(BadCheckpoint) as error:
        loaded(checkpoint)
    return str(error.value)


def test_without_weights_it_says_how_to_get_them() -> None:
    for source in ("", "embedded"):
        assert "STUDIO_ORPHEUS_CHECKPOINT" in refused(Checkpoint(source))


def test_damaged_folders_are_refused(checkpoint: Checkpoint, tmp_path: Path) -> None:
    codec = checkpoint.options["codec"]
    assert "does not exist" in refused(Checkpoint(str(tmp_path / "none"), {"codec": codec}))
    assert "pytorch_model.bin is missing" in refused(Checkpoint(checkpoint.source, {"codec": str(tmp_path / "none")}))
    (tmp_path / "config.json").write_bytes((Path(checkpoint.source) / "config.json").read_bytes())
    assert "tokenizer.json is missing" in refused(Checkpoint(str(tmp_path), {"codec": codec}))
    (tmp_path / "tokenizer.json").write_text("{}")
    assert "tokenizer.json could not be read" in refused(Checkpoint(str(tmp_path), {"codec": codec}))
    (tmp_path / "tokenizer.json").write_bytes((Path(checkpoint.source) / "tokenizer.json").read_bytes())
    assert "model.safetensors is missing" in refused(Checkpoint(str(tmp_path), {"codec": codec}))


def test_a_codec_with_other_frames_is_refused(checkpoint: Checkpoint, tmp_path: Path) -> None:
    write_snac(tmp_path, TINY.codec | {"codebook_size": 64})
    assert "codes" in refused(Checkpoint(checkpoint.source, {"codec": str(tmp_path)}))


def test_a_text_token_starts_the_text(checkpoint: Checkpoint) -> None:
    held = json.loads((Path(checkpoint.source) / "tokenizer.json").read_text())
    assert any(START in json.dumps(part) for part in held["post_processor"]["single"])
