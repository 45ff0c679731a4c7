"""Sizes that the persistent kernel is compiled for, and the networks that it supports."""

from collections.abc import Mapping

from engines.codec_lm.constants import GOLDEN, WINDOW
from engines.s1.config import DualARConfig

CAPABILITY = 9, 0  # minimum, for bulk copies
SIZES = {
    "GRID": 128,  # programs, one on each multiprocessor
    "WARPS": 8,  # computing warps of a program
    "SLOTS": 8,  # of a program's ring, 16 KiB each
    "AHEAD": 2,  # slots in flight; more would delay other programs' messages
    "BATCH": 3,  # slots that a warp reads before it computes
    "KEPT": 25,  # percentage of the fast stack's weights to keep in the L2 cache
    "SHARED": 232_448,  # bytes of a program's shared memory
    "ROWS": 8,  # rows of a matrix in a slot
    "SEGMENT": 128,  # inputs of each row for one warp
    "TURNS": 4,  # exchanges before memory is written again; see `Exchange::room`
    "STAMPED": 0,  # 1 = record when each step ends
    "PENALTY_WINDOW": WINDOW,
    "NOISE_INCREMENT": GOLDEN,
}


def divides(config: DualARConfig, semantic: int, residual: int) -> bool:
    """Return True if these sizes divide evenly between programs and warps, as layout.cuh requires."""
    slow, fast = config.slow, config.fast
    chunk, rows = SIZES["WARPS"] * SIZES["SEGMENT"], SIZES["GRID"] * SIZES["ROWS"]
    splits = SIZES["GRID"] // slow.kv_heads
    inputs = slow.heads * slow.head_dim, fast.heads * fast.head_dim, slow.intermediate, fast.intermediate
    outputs = *inputs, _width(config, fast=False), _width(config, fast=True), semantic, residual
    return (
        slow.dim == fast.dim == chunk
        and not any(stack.qkv_bias or stack.o_bias for stack in (slow, fast))
        and (slow.qk_norm, fast.qk_norm) == (True, False)
        and not any(width % chunk for width in inputs)
        and not any(width % rows for width in outputs)
        and (slow.head_dim, fast.head_dim, fast.group) == (128, 64, 2)
        and slow.group + 2 <= SIZES["WARPS"]
        and splits <= 16
        and config.codebooks <= 16
    )


def _width(config: DualARConfig, fast: bool) -> int:
    """Return the width of a layer's queries, keys and values together."""
    stack = config.fast if fast else config.slow
    return (stack.heads + 2 * stack.kv_heads) * stack.head_dim


def sizes(config: DualARConfig, semantic: int, residual: int, **others: int) -> Mapping[str, int]:
    """Return the macros for which the kernel is compiled."""
    slow, fast, made = config.slow, config.fast, SIZES | others
    splits = made["GRID"] // slow.kv_heads
    inputs = slow.dim, slow.heads * slow.head_dim, slow.intermediate, fast.intermediate
    # Entries of an exchange: pairs of a product's outputs, logits, or attention's shares.
    pairs = max(*inputs, _width(config, fast=False), _width(config, fast=True)) // 2
    turn = max(pairs, residual, slow.heads * splits * (slow.head_dim + 2))
    return made | {
        "LAYERS": slow.layers, "DIM": slow.dim, "HEADS": slow.heads, "KV_HEADS": slow.kv_heads, "HEAD": slow.head_dim,
        "MIDDLE": slow.intermediate, "FAST_LAYERS": fast.layers, "FAST_HEADS": fast.heads, "FAST_KV_HEADS": fast.kv_heads,
        "FAST_HEAD": fast.head_dim, "FAST_MIDDLE": fast.intermediate, "CODEBOOKS": config.codebooks,
        "SEMANTIC": semantic, "RESIDUAL": residual, "CODEBOOK_SIZE": config.codebook_size, "TURN": turn,
    }  # fmt: skip
