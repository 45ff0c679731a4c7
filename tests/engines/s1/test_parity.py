"""Network, sampling and codec compared with fish-speech 0.1.0 on equal weights and noise, in float32."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from bench import s1_checkpoints, s1_upstream
from engines.base import Checkpoint
from engines.codec_lm import kv_cache
from engines.codec_lm.decode_state import Sampling
from engines.codec_lm.kv_cache import allocate
from engines.codec_lm.prefill import Prompt, Shape
from engines.codec_lm.prompts import Turn
from engines.codec_lm.stateful_streams import StatefulStreams
from engines.codec_lm.streaming import Packet
from engines.registry import EngineOptions
from engines.runtime.quantization import quantize, stored_bytes
from engines.runtime.weights import halve
from engines.s1.frame_step import make_decoder
from engines.s1.model import S1Model
from engines.s1.prompt import embed
from engines.s1.quantize import pack
from tests.engines.s1.conftest import read

TRANSCRIPT, TEXT = "what the reference said.", "Hello there, this is (excited) line 123."
# Upstream keeps its settings in bfloat16, which represents these numbers exactly.
SAMPLING = Sampling(seed=2**33 + 1, temperature=0.75, top_p=0.875, repetition_penalty=1.25)
LENGTH = 512


@pytest.fixture(scope="module")
def upstream(folder: Path) -> Any:
    return s1_checkpoints.network(folder, weights=True)


@pytest.fixture(scope="module")
def codes(model: S1Model) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    sizes = [model.tokenizer.semantic_count, *[model.codec.config.residual_size] * 4]
    return torch.stack([torch.randint(size, (37,), generator=generator) for size in sizes])


def relative(found: Tensor, wanted: Tensor) -> float:
    return ((found - wanted).norm() / wanted.norm()).item()


def speak(model: S1Model, prompt: Tensor, frames: int, sampling: Sampling = SAMPLING) -> Tensor:
    drawn = make_decoder(model.network, 1, LENGTH)
    made = []
    with torch.inference_mode():
        drawn.state.prefill(0, prompt[:-1], 0)
        drawn.state.start_row(0, prompt[-1], len(prompt) - 1, sampling)
        for number in range(frames):
            made.append(drawn.draw(1, len(prompt) - 1 + number)[0])
    return torch.stack(made, 1)


def slow_logits(model: S1Model, prompt: Tensor, cached: torch.dtype | None = None) -> tuple[Tensor, Tensor]:
    """Return (t, dim) hidden states and (t, semantic + 1) logits of every position."""
    with torch.inference_mode():
        cache = allocate(model.network.stack, 1, len(prompt), cached or torch.float32, torch.device("cpu"))
        hidden = model.network.hidden_states(prompt[None], torch.arange(len(prompt))[None], cache)[0]
        return hidden, model.network.semantic_logits(hidden)


def test_the_prompt_and_the_slow_logits_equal_upstream(model: S1Model, upstream: Any, codes: Tensor) -> None:
    values = s1_upstream.prompt(upstream, TEXT, TRANSCRIPT, codes)
    prompt = embed(model.network, model.tokenizer, [Turn(TRANSCRIPT, codes), Turn(TEXT)], at_start=True)
    begin, count, end = model.network.semantic_begin, model.network.semantic_count, model.network.end_token
    wanted = all_logits(upstream, values)
    found = slow_logits(model, prompt)[1]
    assert relative(found[:, :-1], wanted[:, begin : begin + count]) < 1e-4
    assert relative(found[:, -1], wanted[:, end]) < 1e-4


def all_logits(upstream: Any, values: Tensor) -> Tensor:
    inner = super(type(upstream), upstream)  # DualAR's method cannot return all positions
    with torch.inference_mode():
        return inner.forward_generate(values[None], return_all=True).logits[0]


def test_the_fast_logits_equal_upstream_code_by_code(model: S1Model, upstream: Any, codes: Tensor) -> None:
    prompt = embed(model.network, model.tokenizer, [Turn(TRANSCRIPT, codes)], at_start=True)
    hidden = slow_logits(model, prompt)[0][-1:]
    cache, frame = model.network.fast_cache(1), codes[:, 0]
    with torch.inference_mode():
        upstream.setup_caches(1, LENGTH, dtype=torch.float32)
        upstream.forward_generate_fast(upstream.fast_project_in(hidden[None]), torch.tensor([0]))
        x = torch.stack((model.network.fast_project_in(hidden), model.network.fast_embeddings(frame[:1])), 1)
        for codebook in range(1, len(frame)):
            before = frame[codebook - 1][None]
            wanted = upstream.forward_generate_fast(upstream.fast_embeddings(before)[None], torch.tensor([codebook]))
            found = model.network.forward_fast(x, 0 if codebook == 1 else codebook, cache)
            assert relative(found, wanted[0]) < 1e-4
            x = model.network.fast_embeddings(frame[codebook])[None, None]


def test_the_same_noise_gives_the_same_codes_for_200_frames(model: S1Model, upstream: Any, codes: Tensor) -> None:
    values = s1_upstream.prompt(upstream, TEXT, TRANSCRIPT, codes)
    prompt = embed(model.network, model.tokenizer, [Turn(TRANSCRIPT, codes), Turn(TEXT)], at_start=True)
    wanted = s1_upstream.generate(upstream, values, 200, SAMPLING, model.codec.config.residual_size)
    found = speak(model, prompt, wanted.shape[1])
    assert wanted.shape[1] == 200
    assert torch.equal(found, wanted.long())
    assert len(set(found[0].tolist())) > 50


@torch.inference_mode()
@pytest.mark.parametrize("shapes", [[], [Shape(1, 64, 128), Shape(1, 512, LENGTH)], [Shape(8, 512, LENGTH)]])
def test_padded_prompts_fill_their_slots_like_exact_ones(model: S1Model, codes: Tensor, shapes: list[Shape]) -> None:
    words = embed(model.network, model.tokenizer, [Turn(TRANSCRIPT, codes), Turn(TEXT)], at_start=True)
    exact, padded = (make_decoder(model.network, 4, LENGTH) for _ in range(2))
    padded.prefiller.ready = shapes
    first = [Prompt(1, words[:50], 0), Prompt(3, words[:70], 0), Prompt(2, words[:0], 0)]
    then = [Prompt(3, words[70:], 70), Prompt(1, words[50:], 50)]
    for prompts in (first, then):
        padded.prefiller.prefill(prompts)
        for prompt in prompts:
            exact.state.prefill(*prompt)
    found, wanted = (each.state.cache[..., : len(words), :] for each in (padded, exact))
    assert relative(found, wanted) < 1e-6
    assert not found[:, :, [0, 2]].any()


def test_a_broken_layer_is_detected(model: S1Model, codes: Tensor) -> None:
    prompt = embed(model.network, model.tokenizer, [Turn(TRANSCRIPT, codes), Turn(TEXT)], at_start=True)
    wanted = slow_logits(model, prompt)[1]
    for layer in model.network.layers:
        with torch.no_grad():
            layer.attention.wo.weight.mul_(1.02)
            moved = relative(slow_logits(model, prompt)[1], wanted)
            layer.attention.wo.weight.div_(1.02)
        assert moved > 1e-4


def test_the_codec_equals_upstream(model: S1Model, folder: Path) -> None:
    upstream, samples = s1_checkpoints.codec(folder), sound()
    with torch.inference_mode():
        wanted, lengths = upstream.encode(samples[None, None])
        found = model.codec.encode(samples)
        assert torch.equal(found, wanted[0])
        upstream_audio, _ = upstream.decode(wanted, lengths)
        assert relative(model.codec.decode(found), upstream_audio[0, 0]) < 1e-5


def test_the_split_codec_equals_the_codec(model: S1Model, folder: Path) -> None:
    whole = model.codec
    encoder = read(folder).codec
    decoder = encoder.split()
    with torch.inference_mode():
        codes = whole.encode(sound())
        assert torch.equal(encoder.encode(sound()), codes)
        assert torch.equal(decoder.decode(codes), whole.decode(codes))
    sizes = [sum(weight.numel() for weight in part.parameters()) for part in (encoder, decoder, whole)]
    assert sum(sizes[:2]) < 1.1 * sizes[2]  # both need the codebooks, and nothing else of each other


def test_an_encoder_with_float16_weights_finds_the_same_codes(model: S1Model, folder: Path) -> None:
    halved = read(folder).codec
    before = sum(map(stored_bytes, halved.parameters()))
    halve(halved.encoder)
    halve(halved.quantizer)
    with torch.inference_mode():
        same = halved.encode(sound()) == model.codec.encode(sound())
    assert same.float().mean() > 0.97
    decoding = sum(map(stored_bytes, halved.decoder.parameters()))
    assert sum(map(stored_bytes, halved.parameters())) - decoding < 0.6 * (before - decoding)


def test_int8_weights_change_the_logits_by_less_than_five_percent(model: S1Model, folder: Path, codes: Tensor) -> None:
    prompt = embed(model.network, model.tokenizer, [Turn(TRANSCRIPT, codes)], at_start=True)
    moved = relative(slow_logits(read(folder, "int8"), prompt)[1], slow_logits(model, prompt)[1])
    assert 1e-4 < moved < 0.05


def test_int8_keys_and_values_change_the_output_by_less_than_two_percent(model: S1Model, codes: Tensor) -> None:
    prompt = embed(model.network, model.tokenizer, [Turn(TRANSCRIPT, codes)], at_start=True)
    small = slow_logits(model, prompt, torch.int8)
    moved = [relative(*pair) for pair in zip(small, slow_logits(model, prompt), strict=True)]
    assert all(1e-5 < each < 0.02 for each in moved), moved
    vectors = torch.randn(2, 3, 12, generator=torch.Generator().manual_seed(1))
    held = kv_cache.stored(vectors, torch.int8)
    assert held.shape == (2, 3, 28)
    assert ((kv_cache.read(held, torch.float32) - vectors).abs() <= 0.501 * kv_cache.steps(held)).all()
    assert not kv_cache.read(kv_cache.stored(torch.zeros(1, 12), torch.int8), torch.float32).any()


def test_a_quantised_checkpoint_gives_the_logits_of_quantised_weights(
    model: S1Model, folder: Path, codes: Tensor, tmp_path: Path
) -> None:
    for _ in pack(Checkpoint(str(folder)), tmp_path / "packed", "int8", EngineOptions(name="cpu")):
        pass
    original, packed = folder / "model.pth", tmp_path / "packed" / "model-int8.pth"
    assert packed.stat().st_size < 0.5 * original.stat().st_size
    kept = read(folder)
    network, cpu = kept.network, torch.device("cpu")
    quantize([network.place(cpu, torch.bfloat16).layers, network.fast_layers], "int8")
    network.place(cpu, torch.float32)
    prompt = embed(kept.network, model.tokenizer, [Turn(TRANSCRIPT, codes)], at_start=True)
    assert torch.equal(slow_logits(read(packed.parent), prompt)[1], slow_logits(kept, prompt)[1])


@pytest.mark.parametrize("packets", [(1,) * 40, (4, 8, 16, 12), (39, 1)])
def test_streamed_audio_equals_whole_audio_and_no_frame_is_decoded_twice(
    model: S1Model, packets: tuple[int, ...]
) -> None:
    codes = encoded(model)[:, : sum(packets)]
    with torch.inference_mode():
        whole = model.codec.decode(codes)
    streams, decoded = StatefulStreams(model.codec, 1, compile=False), list[int]()
    hook = model.codec.decoder.model[0].register_forward_pre_hook(lambda _, inputs: decoded.append(inputs[0].shape[-1]))
    slot = streams.open()
    pieces = [
        streams.decode([Packet(slot, piece)]).samples.value()[0, : 256 * piece.shape[1]]
        for piece in codes.split(list(packets), 1)
    ]
    hook.remove()
    assert sum(decoded) == 4 * codes.shape[1]  # the decoder runs at four times the frame rate
    assert relative(torch.cat(pieces), whole) < 1e-6


def test_streams_that_join_end_and_restart_equal_single_streams(model: S1Model) -> None:
    codes = encoded(model)
    clips = [codes, codes.flip(1), codes.roll(11, 1)[:, :17]]
    with torch.inference_mode():
        wanted = [model.codec.decode(clip) for clip in clips]
    streams = StatefulStreams(model.codec, 2, compile=False)
    slots, at, made = {0: streams.open()}, [0, 0, 0], [list[Tensor]() for _ in clips]
    for speaking, frames in (([0], 3), ([1, 0], 6), ([0, 1], 12), ([1, 2], 5), ([2, 1], 12)):
        for clip in set(speaking) - slots.keys():
            if len(slots) == 2:
                streams.close(slots.pop(0))  # in the middle; another stream takes its slot
            slots[clip] = streams.open()
        pieces = [clips[clip][:, at[clip] : at[clip] + frames] for clip in speaking]
        sound = streams.decode([Packet(slots[clip], piece) for clip, piece in zip(speaking, pieces, strict=True)])
        for clip, piece, samples in zip(speaking, pieces, sound.samples.value(), strict=True):
            at[clip] += piece.shape[1]
            made[clip].append(samples[: 256 * piece.shape[1]])
    for clip, pieces in enumerate(made):
        assert relative(torch.cat(pieces), wanted[clip][: 256 * at[clip]]) < 1e-6


def encoded(model: S1Model) -> Tensor:
    with torch.inference_mode():
        return model.codec.encode(sound())


def sound() -> Tensor:
    generator = torch.Generator().manual_seed(4)
    return torch.randn(256 * 45, generator=generator) * 0.1
