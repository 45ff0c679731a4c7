"""A codec language model with its own network and codec: batches, streams, pauses and cancellation."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from engines.base import Checkpoint, EngineJob
from engines.codec_lm import plan as planning
from engines.codec_lm.config import RopeScaling
from engines.codec_lm.engine import CodecLmEngine
from engines.codec_lm.layers import complex_table, exact_rotary_table, rotate_halves, scaled_rates
from engines.codec_lm.streaming import Packet
from engines.codec_lm.windowed_streams import WindowedStreams
from engines.registry import EngineOptions
from engines.types import Audio, Reference, Request
from tests.engines.codec_lm.toy import CODES, HOP, RATE, STEPS, ToyCodec, make_engine
from tests.engines.s1.test_engine import Listener, alone

FIGURES = {"codes_found": 0, "codes_missed": 1, "prefixes_found": 0, "prefixes_missed": 1}


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop speech of random weights, which rarely ends by itself, sooner than that of trained ones."""
    monkeypatch.setattr(planning, "ROOM_S", 0.3)
    monkeypatch.setattr(planning, "SLOWEST_CHARACTERS_PER_S", 20.0)


def loaded(folder: Path) -> CodecLmEngine:
    engine = make_engine(EngineOptions(name="cpu", max_batch=4, cache_dir=str(folder)))
    for _ in engine.load(Checkpoint("embedded")):
        pass
    return engine


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> CodecLmEngine:
    made = loaded(tmp_path_factory.mktemp("toy"))
    for _ in made.warm():
        pass
    return made


def job(number: int, text: str = "some words to be said.") -> EngineJob:
    noise = np.random.default_rng(number).normal(0, 0.1, RATE).astype(np.float32)
    reference = Reference(Audio(noise, RATE), "what was said.")
    return EngineJob(str(number), Request(text=text, reference=reference, seed=number, engine="toy"))


def test_it_says_what_it_is(engine: CodecLmEngine) -> None:
    info = engine.info
    assert (info.name, info.rows, info.sample_rate) == ("toy", 4, RATE)
    assert [(choice.computation, choice.backend) for choice in info.backends] == [
        ("Decode step", "torch"),
        ("Prefill", "torch"),
        ("Codec", "torch"),
    ]


def test_four_requests_that_join_and_leave_equal_single_requests(engine: CodecLmEngine) -> None:
    jobs = [job(number, "word " * (3 + 2 * number)) for number in range(4)]
    wanted = [alone(engine, each) for each in jobs]
    listener = Listener(engine)
    for each in jobs:
        engine.admit(each)
        listener.step()
    listener.finish(*jobs)
    for each, samples in zip(jobs, wanted, strict=True):
        assert len(samples) > RATE / 10
        assert np.allclose(listener.audio(each), samples, atol=1e-4)


def test_a_voice_is_encoded_and_prefilled_once(tmp_path: Path) -> None:
    engine = loaded(tmp_path)
    assert np.array_equal(alone(engine, job(1)), alone(engine, job(1)))
    assert engine.figures == FIGURES | {"codes_found": 1, "prefixes_found": 1}
    restarted = loaded(tmp_path)
    alone(restarted, job(1))
    assert restarted.figures == FIGURES | {"codes_found": 1, "codes_missed": 0}


def test_audio_arrives_before_the_end_and_a_dropped_request_leaves_nothing(engine: CodecLmEngine) -> None:
    listener, long = Listener(engine), job(5, "word " * 12)
    engine.admit(long)
    while long.id not in listener.heard:
        listener.step()
    assert long.id not in listener.ended
    engine.drop(long.id)
    assert not engine.runtime.batch.requests
    assert not len(engine.runtime.batch.rows)


def decoded(codec: ToyCodec, codes: Tensor) -> Tensor:
    with torch.inference_mode():
        return codec.decode_windows(torch.zeros(1, dtype=torch.long), codes[None])[0]


@pytest.mark.parametrize("packets", [(1,) * 40, (3, 6, 12, 19), (1,), (2, 0), (24, 16, 0)])
def test_streamed_audio_equals_whole_audio_though_the_codec_is_not_causal(packets: tuple[int, ...]) -> None:
    torch.manual_seed(2)
    codec = ToyCodec().requires_grad_(False)
    clips = [torch.randint(CODES, (STEPS, sum(packets))) for _ in range(2)]
    streams = WindowedStreams(codec, 2, compile=False)
    slots, made = [streams.open() for _ in clips], [list[Tensor]() for _ in clips]
    for number, parts in enumerate(zip(*(clip.split(list(packets), 1) for clip in clips), strict=True)):
        last = number == len(packets) - 1
        sound = streams.decode([Packet(slot, part, last) for slot, part in zip(slots, parts, strict=True)])
        for audio, samples, length in zip(made, sound.samples.value(), sound.lengths, strict=True):
            audio.append(samples[:length])
    for clip, audio in zip(clips, made, strict=True):
        whole = torch.cat(audio)
        assert len(whole) == HOP * sum(packets)
        assert torch.allclose(whole, decoded(codec, clip), atol=1e-6)


def test_halves_of_heads_are_rotated_like_in_llama() -> None:
    x = torch.randn(1, 5, 3, 8, generator=torch.Generator().manual_seed(1))
    table = exact_rotary_table(5, 8, 5e5)
    cosine, sine = (torch.cat((part, part), -1)[None, :, None] for part in table.unbind(-1))
    first, second = x.chunk(2, -1)
    wanted = x * cosine + torch.cat((-second, first), -1) * sine
    assert torch.allclose(rotate_halves(x, complex_table(table[None])), wanted, atol=1e-6)


def test_low_frequencies_are_scaled_like_in_llama_3() -> None:
    scaling = RopeScaling(factor=32.0, low_frequency=1.0, high_frequency=4.0, trained_positions=8192)
    rates = 5e5 ** -(torch.arange(0, 128, 2).float() / 128)
    wanted = []
    for rate in rates.tolist():
        wavelength = 2 * torch.pi / rate
        if wavelength < 8192 / 4:
            wanted.append(rate)
        elif wavelength > 8192:
            wanted.append(rate / 32)
        else:
            smooth = (8192 / wavelength - 1) / 3
            wanted.append((1 - smooth) * rate / 32 + smooth * rate)
    assert torch.allclose(scaled_rates(rates, scaling), torch.tensor(wanted), rtol=1e-5)
