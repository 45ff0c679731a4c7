"""Check the GPU kernels without a GPU, in a separate process: `python -m tests.engines.s1.without_gpu WHAT`.

WHAT is `interpret`, `interpret-few` (a part of it, for every run of the tests) or `compile`. Triton reads whether to interpret
when it is imported, so the tests need a separate process.
"""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from bench.checkpoints import redraw
from bench.s1_checkpoints import FULL
from engines.codec_lm import kv_cache
from engines.codec_lm.decode_state import DecodeState, Sampling
from engines.codec_lm.decoding import Decoder
from engines.codec_lm.stateful_streams import StatefulStreams
from engines.codec_lm.token_step import TokenStep
from engines.runtime import quantization as quantizing
from engines.runtime.launching import collect_launches
from engines.s1.codec import Codec
from engines.s1.config import CodecConfig, DualARConfig, WindowConfig
from engines.s1.frame_step import make_decoder
from engines.s1.network import DualAR
from tests.engines.codec_lm.toy import STACK, ToyNetwork
from tests.engines.interpreting import mend_indexing

LENGTHS = (3, 70)  # of the two rows: one share of the cache, and several
FRAMES, TOKENS = 2, 12
MOVED = "positions", "numbers", "recent"
SMALL = {
    "model_type": "dual_ar", "vocab_size": 64, "n_layer": 1, "n_head": 4, "n_local_heads": 2, "dim": 32,
    "head_dim": 12, "intermediate_size": 160, "rope_base": 10000, "norm_eps": 1e-6, "max_seq_len": 128,
    "tie_word_embeddings": True, "attention_qk_norm": True, "codebook_size": 40, "num_codebooks": 3,
    "n_fast_layer": 1, "fast_dim": 24, "fast_n_head": 2, "fast_n_local_heads": 1, "fast_head_dim": 8,
    "fast_intermediate_size": 40, "fast_attention_qk_norm": False, "scale_codebook_embeddings": True,
}  # fmt: skip
WINDOW = WindowConfig(dim=8, layers=1, heads=1, intermediate=8, window=4, head_dim=8)
SMALL_CODEC = CodecConfig(
    encoder_dim=4, encoder_rates=(2, 2), encoder_layers=(0, 0), decoder_dim=24, decoder_rates=(2, 3), latent_dim=8,
    residual_codebooks=2, residual_size=12, semantic_size=12, code_dim=4, pre=None, post=WINDOW,
)  # fmt: skip


def few() -> dict[str, Any]:
    """Compare frames and audio of the interpreted kernels with torch's on the same small network."""
    mend_indexing()
    network = redraw(DualAR(DualARConfig.from_mapping(SMALL), 20, 40, 63)).requires_grad_(False)
    return {"float": compare(network), "codec": sound(), "halves": halves(), "tokens": tokens()}


@torch.inference_mode()
def tokens() -> dict[str, Any]:
    """Compare sampled tokens with torch's, for rows with different settings."""
    from engines.codec_lm.fused_token_step import FusedTokenStep

    torch.manual_seed(5)
    network = ToyNetwork().requires_grad_(False)
    network.head.weight.mul_(20)  # else all codes are equally likely
    settings = [(0.8, 0.9, 1.0), (0.5, 0.6, 1.3), (1.5, 1.0, 2.0), (1e-9, 0.9, 1.1)]
    same, near = True, 0.0
    for top_k in (0, 5, network.codes + 1):
        network.top_k = top_k
        by_torch, by_kernels = (DecodeState(network, len(settings), 64) for _ in range(2))
        for state in (by_torch, by_kernels):
            for row, (temperature, top_p, penalty) in enumerate(settings):
                sampling = Sampling(seed=2**33 - row, temperature=temperature, top_p=top_p, repetition_penalty=penalty)
                state.start_row(row, torch.full((STACK.dim,), 0.1 * row), row, sampling)
        kernels, step = FusedTokenStep(network, by_kernels), TokenStep(network, by_torch, compile=False)
        for _ in range(TOKENS):
            hidden = torch.randn(len(settings), STACK.dim)
            drawn = step._choose(hidden, len(settings))
            kernels._choose(network.head(network.norm(hidden)))
            same &= torch.equal(kernels._drawn, drawn[:, 0])
        same &= all(torch.equal(getattr(by_torch, one), getattr(by_kernels, one)) for one in MOVED)
        near = max(near, relative(by_kernels.pending, by_torch.pending))
    return {"same": same, "pending": near}


@torch.inference_mode()
def halves() -> float:
    """Return the difference of the fused layers from torch's for a network that rotates halves of heads."""
    from engines.codec_lm.fused_layers import FusedLayers

    torch.manual_seed(4)
    network = ToyNetwork().requires_grad_(False)
    by_torch, by_kernels = DecodeState(network, 1, 64), DecodeState(network, 1, 64)
    layers = FusedLayers(STACK, network.layers, network.table, rows=1)
    for number in range(3):
        x, positions = torch.randn(1, STACK.dim), torch.full((1,), number)
        wanted = network.hidden_states(x[:, None], positions[:, None], by_torch.cache)[:, 0]
        layers.run(x, by_kernels.cache, layers.newest(positions, 1))
    return relative(x, wanted)


def interpret() -> dict[str, Any]:
    """Compare frames of the interpreted kernels with torch's on the same small network."""
    mend_indexing()
    network = redraw(DualAR(DualARConfig.from_mapping(SMALL), 20, 40, 63)).requires_grad_(False)
    found = {"float": compare(network)}
    found["alone"] = torch.equal(fused(network, [1]), fused(network, [0, 1])[1:])
    found["many"] = compare(network, rows_held=1)
    quantizing.quantize([network.layers, network.fast_layers], "int8")
    return found | {"int8": compare(network), "cached in int8": compare(network, cached=torch.int8), "codec": sound()}


@torch.inference_mode()
def sound() -> list[float]:
    """Return the differences of two streams' audio from torch's, packet by packet."""
    from engines.s1.codec_fused import FusedCodec

    codec = redraw(Codec(SMALL_CODEC)).requires_grad_(False)
    fused = FusedCodec(codec)
    by_torch, by_kernels = (StatefulStreams(codec, 2, compile=False) for _ in range(2))
    codes = torch.randint(12, (2, 3, 5), generator=torch.Generator().manual_seed(1))
    slots, found = torch.tensor([1, 0]), []
    for packet in codes.split([3, 2], 2):
        wanted = by_torch._decode(slots, packet)
        found.append(relative(by_kernels._decode(slots, packet, fused.decode_packets), wanted))
    return [*found, relative(by_kernels._kept, by_torch._kept)]


def compare(network: DualAR, rows_held: int = 8, cached: torch.dtype | None = None) -> dict[str, Any]:
    by_torch, by_kernels = started(network, cached=cached), started(network, cached=cached)
    from engines.codec_lm import fused_layers
    from engines.s1.fused import FusedFrame

    fused_layers.ROWS_HELD = rows_held
    kernels = FusedFrame(network, by_kernels.state)
    same = [torch.equal(by_torch.draw(2, max(LENGTHS) + frame), kernels.draw(2)) for frame in range(FRAMES)]
    same += [torch.equal(getattr(by_torch.state, name), getattr(by_kernels.state, name)) for name in MOVED]
    near = relative(by_kernels.state.pending, by_torch.state.pending)
    caches = (kv_cache.read(decoder.state.cache, torch.float32) for decoder in (by_kernels, by_torch))
    return {"same": same, "pending": near, "cache": relative(*caches)}


def fused(network: DualAR, rows: list[int]) -> Tensor:
    """Return the (rows, dim) inputs after one frame by the kernels."""
    from engines.s1.fused import FusedFrame

    state = started(network, rows).state
    FusedFrame(network, state).draw(len(rows))
    return state.pending


def started(network: DualAR, rows: list[int] | None = None, cached: torch.dtype | None = None) -> Decoder:
    rows = [0, 1] if rows is None else rows
    decoder = make_decoder(network, len(rows), 100, cached=cached)
    with torch.inference_mode():
        for slot, row in enumerate(rows):
            generator = torch.Generator().manual_seed(row)
            prompt = torch.randn(LENGTHS[row], network.config.slow.dim, generator=generator)
            decoder.state.prefill(slot, prompt[:-1], 0)
            sampling = Sampling(seed=2**33 - row, temperature=0.8, top_p=0.85, repetition_penalty=1.3)
            decoder.state.start_row(slot, prompt[-1], LENGTHS[row] - 1, sampling)
    return decoder


def relative(found: Tensor, wanted: Tensor) -> float:
    return ((found - wanted).norm() / wanted.norm()).item()


def compile() -> dict[str, Any]:
    """Compile every kernel of the full-size network in bfloat16 and int8 for Hopper; then request them again."""
    from triton import knobs
    from triton.backends.compiler import GPUTarget
    from triton.runtime import driver

    from engines.codec_lm import fused_layers
    from engines.runtime.compilation import compile_kernels
    from engines.runtime.compiling import Target
    from engines.s1.codec_fused import FusedCodec
    from engines.s1.fused import FusedFrame

    target = Target(GPUTarget("cuda", 90, 32))
    target.get_current_stream = lambda device: 0  # type: ignore[attr-defined]
    driver.set_active(target)
    fused_layers.OVERLAP = fused_layers.TILES = True
    with torch.device("meta"), collect_launches() as plans:
        network = DualAR(DualARConfig.from_mapping(FULL.network), 151_000, 4096, 150_000, 1024).bfloat16()
        for rows in (2, 4, 12, 256):
            FusedFrame(network, DecodeState(network, rows, 2048)).draw(rows)
        quantizing.quantize([network.layers, network.fast_layers], "int8")
        for cached in (None, torch.int8):
            FusedFrame(network, DecodeState(network, 2, 2048, cached)).draw(1)
        codec = Codec(CodecConfig()).to("meta", torch.float16).requires_grad_(False)
        fused_codec = FusedCodec(codec)
        streams = StatefulStreams(codec, 32, compile=False)
        slots, codes = torch.zeros(1, dtype=torch.long), torch.zeros(1, 10, 3, dtype=torch.long)
        streams._decode(slots, codes, fused_codec.decode_packets)
    for _ in compile_kernels(plans, lambda: False):
        pass
    folder = Path(knobs.cache.dir)
    made = [file.stem for file in folder.rglob("*.cubin")]
    for plan in plans.values():
        plan()
    return {"kernels": sorted(set(made)), "compiled again": len(list(folder.rglob("*.cubin"))) - len(made)}


if __name__ == "__main__":
    os.environ["TRITON_INTERPRET"] = str(int(sys.argv[1] != "compile"))
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        print(json.dumps({"interpret": interpret, "interpret-few": few, "compile": compile}[sys.argv[1]]()))
