"""Transformer layers on the newest tokens of each row, as kernels that never synchronise, so that CUDA graphs can record them.

The results equal those of `CachedLayer` up to rounding. Norms, gates and residuals are fused into the products, and attention
reads only the positions that each row has written.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.codec_lm import attention_kernel, kernels, tile_kernel
from engines.codec_lm.config import StackConfig
from engines.codec_lm.transformer import CachedAttention, CachedLayer
from engines.runtime import quantization as quantizing
from engines.runtime.launching import launch
from engines.runtime.powers import next_power_of_two

# Weights in one program's registers: enough loads in flight for the bandwidth, and registers left to compute.
HELD = 4096
LOAD_BYTES = 512  # bytes that 32 lanes read at once, 16 each
# A product with at least LARGE weights runs with LARGE_WARPS warps per program, a smaller one with 1; both values were the
# fastest with the layers of Orpheus on an H200.
LARGE, LARGE_WARPS = 12_000_000, 4
# True if a kernel may start before the previous one ends (programmatic dependent launch, compute capability 9.0).
OVERLAP = torch.cuda.is_available() and all(
    torch.cuda.get_device_capability(card) >= (9, 0) for card in range(torch.cuda.device_count())
)
TILES = torch.cuda.is_available() and all(
    torch.cuda.get_device_capability(card) >= (8, 0) for card in range(torch.cuda.device_count())
)  # True if the GPU has the instruction of `tile_kernel`
# Up to ROW_BY_ROW rows, the kernel that takes one row after another is the fastest; up to TILE_ROWS, the tile; then torch's.
# Without tiles, torch's are the fastest above ROWS_HELD rows. If both sides of the weights are longer than ROW_BY_ROW_SIDE,
# torch's are always the fastest from two rows on.
ROW_BY_ROW, TILE_ROWS, ROWS_HELD, ROW_BY_ROW_SIDE = 3, 16, 8, 2048
TILE_LONG = 3072  # inputs from which on a tile has 4 warps instead of 2
SPLITS = 16  # largest number of shares of a long cache
WIDE_HEAD = 64  # with larger heads, few rows are faster with more shares and warps
PROGRAMS = 512  # number of programs that fill a GPU: more rows need fewer shares of each cache
BLOCK, STAGES = 32, 3  # positions read at once, and number of reads in flight
TILE = 16  # smallest side of a matrix on the tensor cores


@dataclass(frozen=True, slots=True, eq=False)
class TokenPositions:
    """Positions of a stack's new tokens: (b,) of each row's first, or (1,) for all."""

    positions: Tensor
    count: int = 1  # new tokens of a row
    splits: int = 0  # shares of a row's cache; 0 if the cache is too short to divide


class FusedLayers:
    """Runs the layers of a stack with Triton kernels."""

    def __init__(self, stack: StackConfig, layers: nn.ModuleList, table: Tensor, rows: int) -> None:
        """Allocate scratch memory for `rows` rows with long caches; `table` (positions, head_dim / 2, 2) has the rotations."""
        self._stack, self._layers, self._table = stack, layers, table
        slots = rows * stack.heads
        share = max(TILE, next_power_of_two(stack.head_dim)) + attention_kernel.SHARE.value
        self._arrivals = torch.zeros(slots, dtype=torch.int32, device=table.device)
        self._partial = torch.zeros(slots, SPLITS, share, device=table.device)

    def newest(self, positions: Tensor, rows: int) -> TokenPositions:
        """Return the positions of one new token for each of `rows` rows, whose caches are long."""
        return TokenPositions(positions, splits=_splits(rows, self._stack))

    def run(self, x: Tensor, cache: Tensor, tokens: TokenPositions) -> None:
        """Add the layers' output to x (tokens, dim); cache (layers, 2, rows, kv_heads, length, vector)."""
        for layer, held in zip(self._layers, cache, strict=True):
            self._layer(layer, x, held, tokens)  # type: ignore[arg-type]

    def _layer(self, layer: CachedLayer, x: Tensor, cache: Tensor, tokens: TokenPositions) -> None:
        attention, feed_forward = layer.attention, layer.feed_forward
        qkv = product(x, attention.wqkv, norm=layer.attention_norm)
        product(self._attend(attention, qkv, cache, tokens), attention.wo, residual=x)
        gated = product(x, feed_forward.w1, gate=feed_forward.w3, norm=layer.ffn_norm)
        product(gated, feed_forward.w2, residual=x)

    def _attend(self, attention: CachedAttention, qkv: Tensor, cache: Tensor, tokens: TokenPositions) -> Tensor:
        stack, long = self._stack, tokens.splits > 0
        warps = 1 if not long or _is_narrow(len(qkv), stack) else 4 if len(qkv) <= ROWS_HELD else 2
        y = qkv.new_empty(len(qkv), stack.heads * stack.head_dim)
        normed, small = stack.qk_norm, cache.dtype == torch.int8
        launch(
            attention_kernel.attend, (len(qkv), stack.kv_heads, max(1, tokens.splits)),
            qkv, cache, cache.view(torch.float32) if small else qkv, tokens.positions, self._table,
            attention.q_norm.weight if normed else qkv, attention.k_norm.weight if normed else qkv,
            y, self._partial, self._arrivals,
            int(long), cache.stride(0), cache.stride(1), cache.stride(2),
            1 / math.sqrt(stack.head_dim), stack.norm_eps,
            HEADS=stack.heads, KV_HEADS=stack.kv_heads, SIZE=stack.head_dim, VECTOR=cache.shape[-1],
            PADDED=max(TILE, next_power_of_two(stack.head_dim)), COUNT=tokens.count,
            QUERIES=max(TILE, next_power_of_two(stack.group)),
            SPLITS=max(1, tokens.splits), BLOCK=BLOCK if long else TILE, STAGES=STAGES, NORM=normed,
            HALVES=stack.rope_halves, SMALL=small, OVERLAP=OVERLAP,
            num_warps=warps, launch_pdl=OVERLAP,
        )  # fmt: skip
        return y


def product(
    x: Tensor,
    linear: nn.Linear,
    *,
    norm: nn.Module | None = None,
    gate: nn.Linear | None = None,
    residual: Tensor | None = None,
) -> Tensor:
    """Compute linear(norm(x)), or silu(linear(norm(x))) * gate(norm(x)), of x (tokens, inputs).

    If `residual` (tokens, outputs) is given, the result is added to it in place.
    """
    int4 = any(quantizing.is_int4(each.weight) for each in (linear, gate) if each is not None)
    if int4 or _is_many(x, linear.weight) or (gate is not None and gate.bias is not None):
        return _composed(x, linear, norm, gate, residual)
    gate_weight = None if gate is None else gate.weight
    return _product(x, linear.weight, norm=norm, gate=gate_weight, bias=linear.bias, residual=residual)


def _has_tiles(x: Tensor) -> bool:
    return TILES and x.dtype == torch.bfloat16


def _is_many(x: Tensor, weight: Tensor) -> bool:
    """Return True if torch's kernels are the fastest."""
    most = 1 if min(weight.shape) > ROW_BY_ROW_SIDE else TILE_ROWS if _has_tiles(x) else ROWS_HELD
    return len(x) > most


def _composed(
    x: Tensor, linear: nn.Linear, norm: nn.Module | None, gate: nn.Linear | None, residual: Tensor | None
) -> Tensor:
    """Compute `product` with torch's kernels, for many rows and for weights that the Triton kernel does not read."""
    if norm is not None:
        x = F.rms_norm(x, norm.weight.shape, norm.weight, norm.eps)  # type: ignore[arg-type]
    if residual is not None and linear.bias is None and not quantizing.is_quantized(linear.weight):
        return residual.addmm_(x, linear.weight.t())
    y = linear(x)
    if gate is not None:
        y = F.silu(y) * gate(x)
    return y if residual is None else residual.add_(y)


def _product(
    x: Tensor,
    weight: Tensor,
    *,
    norm: nn.Module | None = None,
    gate: Tensor | None = None,
    bias: Tensor | None = None,
    residual: Tensor | None = None,
    exact: bool = False,
) -> Tensor:
    """Compute `product` with the Triton kernel; `exact` keeps the result in float32."""
    data, scale = quantizing.parts(weight)
    gate_data, gate_scale = (data, scale) if gate is None else quantizing.parts(gate)
    outputs, inputs = data.shape
    if residual is None:
        residual_stride, out = 0, x.new_empty(len(x), outputs, dtype=torch.float32 if exact else x.dtype)
    else:
        residual_stride, out = residual.stride(0), residual
    shared = (
        x, data, gate_data, scale, gate_scale, x if norm is None else norm.weight, x if bias is None else bias, out, out,
        len(x), outputs, x.stride(0), residual_stride, out.stride(0), 0.0 if norm is None else norm.eps,
    )  # fmt: skip
    options = {
        "INPUTS": inputs, "NORM": norm is not None, "GATED": gate is not None, "SCALED": scale is not None,
        "BIASED": bias is not None, "RESIDUAL": residual is not None, "OVERLAP": OVERLAP, "launch_pdl": OVERLAP,
    }  # fmt: skip
    if len(x) > ROW_BY_ROW and _has_tiles(x) and inputs % 8 == 0:
        warps = 4 if inputs >= TILE_LONG else 2
        tall = len(x) > TILE_ROWS // 2
        launch(
            tile_kernel.project_tile, (-(-outputs // 8),), *shared, WARPS=warps, TALL=tall, num_warps=warps, **options
        )
        return out
    each = inputs * (1 if gate is None else 2)
    warps = LARGE_WARPS if outputs * each >= LARGE else 1
    block = min(16, 1 << max(0, (warps * HELD // each).bit_length() - 1))
    chunk = min(warps * LOAD_BYTES // data.element_size(), next_power_of_two(inputs))
    launch(kernels.project, (-(-outputs // block),), *shared, BLOCK=block, CHUNK=chunk, num_warps=warps, **options)
    return out


def logits(x: Tensor, head: Tensor, norm: nn.Module) -> Tensor:
    """Compute (rows, choices) logits in float32."""
    if not _is_many(x, head):
        return _product(x, head, norm=norm, exact=True)
    x = F.rms_norm(x, norm.weight.shape, norm.weight, norm.eps)  # type: ignore[arg-type]
    return F.linear(x, head) if x.dtype == torch.float32 else torch.mm(x, head.t(), out_dtype=torch.float32)


def _is_narrow(rows: int, stack: StackConfig) -> bool:
    """Return True if attention is the fastest with one warp for each of few shares."""
    return rows <= TILE_ROWS and stack.head_dim <= WIDE_HEAD


def _splits(rows: int, stack: StackConfig) -> int:
    """Return the shares of each cache. It is constant for few rows, so that their sums do not depend on the batch."""
    if _is_narrow(rows, stack):
        return SPLITS // 2
    fill = max(1, PROGRAMS // (rows * stack.kv_heads))
    return SPLITS if rows <= ROWS_HELD else min(SPLITS, 1 << (fill.bit_length() - 1))
