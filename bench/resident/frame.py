"""A frame of S1 by one kernel that stays on the GPU: what `frame.cu` needs to know, and its start.

For one row whose weights are bfloat16, as S1-Mini's are; other sizes, kinds of weights and rows are left to `engines.s1.fused`.
"""

import ctypes
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import cpp_extension

from engines.s1.config import StackConfig
from engines.s1.decode_state import DecodeState
from engines.s1.network import DualAR, DualARLayer

SOURCES = tuple(Path(__file__).with_name(name) for name in ("primitives.cuh", "frame.cu"))
GRID, WARPS, SLOTS = 128, 8, 8  # programs, warps of each that compute, slots
BATCH, AHEAD, REPLICAS, SETTLED, NAP, KEPT = 3, 2, 4, 1, 0, 15  # see frame.cu
SCORES = 512  # positions whose scores a program has room for
SHARED = 232_448  # bytes that a program of compute capability 9.0 can have


class Arguments(ctypes.Structure):
    """As in frame.cu."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in (
            "layers", "fast_layers", "head", "norm", "fast_head", "fast_norm", "embeddings", "codebook_embeddings",
            "fast_embeddings", "table", "fast_table", "cache",
        )),
        *((name, ctypes.c_longlong) for name in ("layer_stride", "value_offset", "head_stride")),
        *((name, ctypes.c_void_p) for name in (
            "pending", "positions", "seeds", "numbers", "recent", "drawn", "temperature", "top_p", "penalty",
            "exchange", "semantic", "sequence",
        )),
        *((name, ctypes.c_float) for name in ("norm_eps", "fast_norm_eps", "scale", "fast_scale", "shrink")),
        ("length", ctypes.c_longlong),
        ("stamps", ctypes.c_void_p),
    ]  # fmt: skip


def macros(network: DualAR, residual_size: int, **others: int) -> Mapping[str, int]:
    """The sizes that frame.cu is compiled for."""
    config = network.config
    slow, fast = config.slow, config.fast
    sizes = {
        "GRID": GRID,
        "WARPS": WARPS,
        "SLOTS": SLOTS,
        "SCORES": SCORES,
        "BATCH": BATCH,
        "AHEAD": AHEAD,
        "REPLICAS": REPLICAS,
        "SETTLED": SETTLED,
        "NAP": NAP,
        "KEPT": KEPT,
        "STAMPED": 0,
    } | others
    return sizes | {
        "LAYERS": slow.layers, "DIM": slow.dim, "HEADS": slow.heads, "KV_HEADS": slow.kv_heads, "HEAD": slow.head_dim,
        "MIDDLE": slow.intermediate, "FAST_LAYERS": fast.layers, "FAST_HEADS": fast.heads, "FAST_KV_HEADS": fast.kv_heads,
        "FAST_HEAD": fast.head_dim, "FAST_MIDDLE": fast.intermediate, "CODEBOOKS": config.codebooks,
        "SEMANTIC": network.semantic_count, "RESIDUAL": residual_size, "CODEBOOK_SIZE": config.codebook_size,
    }  # fmt: skip


class ResidentFrame:
    """Draws frames of row 0 of a `DecodeState`, which it reads and advances."""

    def __init__(self, state: DecodeState, sizes: Mapping[str, int]) -> None:
        network, config = state.network, state.network.config
        slow, fast = config.slow, config.fast
        device = state.pending.device
        semantic = slice(network.semantic_begin, network.semantic_begin + network.semantic_count)
        head = network.embeddings.weight if config.tied else network.output.weight
        splits = sizes["GRID"] // slow.kv_heads
        copied = max(
            max(slow.dim, slow.heads * slow.head_dim, slow.intermediate, fast.intermediate) // 2, state.residual_size,
            _width(slow) // 2, _width(fast) // 2,
        )  # fmt: skip
        turn = max(sizes["REPLICAS"] * copied, slow.heads * splits * (slow.head_dim + 2))
        self.drawn = torch.zeros(1, config.codebooks, dtype=torch.long, device=device)
        # What the kernel is told the addresses of lives as long as this.
        held = self._held = {
            "layers": _addresses(network.layers, device),
            "fast_layers": _addresses(network.fast_layers, device),
            "head": torch.cat((head[semantic], head[network.end_token, None])),
            "norm": network.norm.weight,
            "fast_head": network.fast_output.weight,
            "fast_norm": network.fast_norm.weight,
            "embeddings": network.embeddings.weight[semantic],
            "codebook_embeddings": network.codebook_embeddings.weight,
            "fast_embeddings": network.fast_embeddings.weight,
            "table": network.slow_table,
            "fast_table": network.fast_table,
            "cache": state.cache,
            "pending": state.pending,
            "positions": state.positions,
            "seeds": state.seeds,
            "numbers": state.numbers,
            "recent": state.recent,
            "drawn": self.drawn,
            "temperature": state.settings[0],
            "top_p": state.settings[1],
            "penalty": state.settings[2],
            "exchange": torch.zeros(4 * turn, dtype=torch.long, device=device),
            "semantic": torch.zeros(network.semantic_count + 1, dtype=torch.long, device=device),
            "sequence": torch.ones(1, dtype=torch.int32, device=device),
            "stamps": torch.zeros(4096, dtype=torch.long, device=device),
        }
        arguments = Arguments(
            **{name: tensor.data_ptr() for name, tensor in held.items()},
            layer_stride=state.cache.stride(0), value_offset=state.cache.stride(1), head_stride=state.cache.stride(3),
            norm_eps=slow.norm_eps, fast_norm_eps=fast.norm_eps,
            scale=1 / math.sqrt(slow.head_dim), fast_scale=1 / math.sqrt(fast.head_dim),
            shrink=1 / math.sqrt(config.codebooks + 1) if config.scaled else 1.0, length=state.length,
        )  # fmt: skip
        self.arguments = torch.frombuffer(bytearray(arguments), dtype=torch.uint8).to(device)
        self._sizes = sizes

    def compile(self) -> None:
        """For the GPU at hand."""
        cpp_extension.CUDA_HOME = (
            cpp_extension.CUDA_HOME or "/usr/local/cuda"
        )  # where headers are, of which none is read
        options = [f"-D{name}={value}" for name, value in self._sizes.items()]
        source = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
        self._kernel: Any = torch.cuda._compile_kernel(source, "draw_frame", nvcc_options=[*options, "-std=c++17"])
        self._kernel.set_shared_memory_config(SHARED)

    def semantic_logits(self) -> Tensor:
        """(1, choices) of the newest frame."""
        return self._held["semantic"].view(torch.float32)[None, ::2]

    def stamps(self) -> list[tuple[int, int]]:
        """When each step of the newest frame ended, in clock ticks, and which it was."""
        return [(stamp >> 4, stamp & 15) for stamp in self._held["stamps"].tolist() if stamp]

    def draw(self) -> Tensor:
        """(1, codebooks) codes of the next frame, which the next call overwrites."""
        block = (self._sizes["WARPS"] + 1) * 32
        self._kernel(grid=(self._sizes["GRID"], 1, 1), block=(block, 1, 1), args=[self.arguments], shared_mem=SHARED)
        return self.drawn


def _width(stack: StackConfig) -> int:
    return (stack.heads + 2 * stack.kv_heads) * stack.head_dim


def _addresses(layers: nn.ModuleList, device: torch.device) -> Tensor:
    def weights(layer: DualARLayer) -> list[int]:
        attention, feed_forward = layer.attention, layer.feed_forward
        norms = (attention.q_norm, attention.k_norm) if attention.config.qk_norm else ()
        parts = (
            attention.wqkv, attention.wo, feed_forward.w1, feed_forward.w3, feed_forward.w2,
            layer.attention_norm, layer.ffn_norm, *norms,
        )  # fmt: skip
        addresses = [part.weight.data_ptr() for part in parts]
        return addresses + [0] * (9 - len(addresses))

    return torch.tensor([weights(layer) for layer in layers], dtype=torch.long, device=device)  # type: ignore[arg-type]
