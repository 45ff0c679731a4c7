"""Sizes that the resident kernel is compiled for, and the networks that it supports."""

from collections.abc import Mapping

from engines.s1.config import DualARConfig
from engines.s1.constants import GOLDEN, WINDOW

CAPABILITY = 9, 0  # of a GPU that copies in bulk
SIZES = {
    "GRID": 128,  # programs, each with a multiprocessor of its own
    "WARPS": 8,  # of a program, that compute
    "SLOTS": 8,  # of a program's ring, of 16 KiB
    "AHEAD": 2,  # slots on their way at once: more, and what others send waits behind them
    "BATCH": 3,  # slots a warp reads before it computes
    "KEPT": 25,  # hundredths of the fast stack's weights that the GPU's second cache is to keep
    "SHARED": 232_448,  # bytes that a program has there
    "ROWS": 8,  # of a matrix, those in a slot
    "SEGMENT": 128,  # of each row's inputs, a warp's
    "TURNS": 4,  # exchanges before memory is written again; see `Exchange::room`
    "STAMPED": 0,  # whether it notes when each step ended
    "PENALTY_WINDOW": WINDOW,
    "NOISE_INCREMENT": GOLDEN,
}


def divides(config: DualARConfig, semantic: int, residual: int) -> bool:
    """Whether programs and warps share these sizes out evenly, codes of either kind too. See layout.cuh."""
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
    """Of a layer's queries, keys and values together."""
    stack = config.fast if fast else config.slow
    return (stack.heads + 2 * stack.kv_heads) * stack.head_dim


def sizes(config: DualARConfig, semantic: int, residual: int, **others: int) -> Mapping[str, int]:
    """What the kernel is compiled for."""
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
