"""Estimate the least time of a line on a device, from an engine's configuration and the device's measured rates.

It counts the matrices that every step must read and multiply, attention over the positions, and the convolutions of S1's
codec; it does not count norms, embeddings, vocoder, sampling or launches. So the result is a lower bound.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from engines.f5.config import DiTConfig
from engines.s1.config import CodecConfig, DualARConfig, StackConfig

F5_FRAMES_S = 24_000 / 256
KERNEL, GROUPS = 31, 16  # of F5's two position convolutions


@dataclass(frozen=True, slots=True)
class Work:
    """The minimum work of a device."""

    read_bytes: float
    flops: float

    def floor_s(self, calibration: Mapping[str, float]) -> Mapping[str, float]:
        """Return the seconds to read the bytes and to compute the operations, at the device's measured rates."""
        return {
            "read_s": self.read_bytes / calibration["copy_gb_s"] / 1e9,
            "compute_s": self.flops / calibration["gflop_s"] / 1e9,
        }


def f5_work(
    folder: Path, settings: Mapping[str, float], weight_bytes: float, rows: float, line_s: tuple[float, float]
) -> Work:
    """Return the work of a take's flow for `rows` rows; `line_s` is the length of the reference and of the line."""
    config = DiTConfig.from_mapping(yaml.safe_load((folder / "config.yaml").read_text())["model"]["arch"], 1)
    inner, frames = config.heads * config.dim_head, sum(line_s) * F5_FRAMES_S
    layer = 4 * config.dim * inner + 2 * config.ff_mult * config.dim**2
    entry = (2 * config.mel_dim + config.text_dim + 2 * KERNEL * config.dim / GROUPS) * config.dim
    weights = config.depth * layer + entry + config.dim * config.mel_dim
    passes = settings["steps"] * rows * (2 if settings["guidance"] else 1)
    flops = passes * frames * (2 * weights + 4 * config.depth * inner * frames)
    return Work(settings["steps"] * weights * weight_bytes, flops)


def s1_work(folder: Path, weight_bytes: float, state_bytes: float, rows: float, line_s: tuple[float, float]) -> Work:
    """Return the work of generating and decoding a line for `rows` rows, with a cached reference."""
    config, codec = DualARConfig.read(folder / "config.json"), CodecConfig.read(folder / "codec.yaml")
    frames, positions = line_s[1] * codec.frame_rate, (line_s[0] + line_s[1] / 2) * codec.frame_rate
    slow = _weights(config.slow) + codec.semantic_size * config.slow.dim
    fast = (config.codebooks - 1) * (_weights(config.fast) + config.codebook_size * config.fast.dim)
    kept = 2 * config.slow.layers * config.slow.kv_heads * config.slow.head_dim * positions
    attended = 4 * config.slow.layers * config.slow.heads * config.slow.head_dim * positions
    flops = frames * rows * (2 * (slow + fast) + attended + codec_flops(codec))
    return Work(frames * ((slow + fast) * weight_bytes + rows * kept * state_bytes), flops)


def _weights(stack: StackConfig) -> int:
    attention = stack.dim * stack.head_dim * (2 * stack.heads + 2 * stack.kv_heads)
    return stack.layers * (attention + 3 * stack.dim * stack.intermediate)


def codec_flops(config: CodecConfig) -> float:
    """Return the operations of the convolutions that decode one frame."""
    rate, channels = math.prod(config.downsample), config.decoder_dim  # samples per frame, which each block increases
    weights = 7 * config.latent_dim * channels * rate
    for stride in config.decoder_rates:
        weights += 2 * stride * channels * channels // 2 * rate
        rate, channels = rate * stride, channels // 2
        weights += 3 * (7 + 1) * channels**2 * rate  # three residual units with two convolutions each
    return 2 * (weights + 7 * channels * rate)
