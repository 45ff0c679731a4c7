"""Transformer layers on the newest tokens of each row, as kernels that never synchronise, so that CUDA graphs can record them.

The results equal those of `CachedLayer` up to rounding. Norms, gates and residuals are fused into the products, and attention
reads only the positions that each row has written.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.codec_lm import attention_kernel, kernels
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
ROWS_HELD = 8  # with more rows, products are faster on the tensor cores than row by row
SPLITS = 16  # largest number of shares of a long cache
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
        return TokenPositions(positions, splits=_splits(rows * self._stack.kv_heads, rows > ROWS_HELD))

    def run(self, x: Tensor, cache: Tensor, tokens: TokenPositions, many: bool) -> None:
        """Add the layers' output to x (tokens, dim); cache (layers, 2, rows, kv_heads, length, vector).

        `many` selects the kernels for more than ROWS_HELD rows.
        """
        for layer, held in zip(self._layers, cache, strict=True):
            self._layer(layer, x, held, tokens, many)  # type: ignore[arg-type]

    def _layer(self, layer: CachedLayer, x: Tensor, cache: Tensor, tokens: TokenPositions, many: bool) -> None:
        attention, feed_forward = layer.attention, layer.feed_forward
        qkv = product(x, attention.wqkv, many, norm=layer.attention_norm)
        product(self._attend(attention, qkv, cache, tokens, many), attention.wo, many, residual=x)
        gated = product(x, feed_forward.w1, many, gate=feed_forward.w3, norm=layer.ffn_norm)
        product(gated, feed_forward.w2, many, residual=x)

    def _attend(
        self, attention: CachedAttention, qkv: Tensor, cache: Tensor, tokens: TokenPositions, many: bool
    ) -> Tensor:
        stack, long = self._stack, tokens.splits > 0
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
            num_warps=(2 if many else 4) if long else 1, launch_pdl=OVERLAP,
        )  # fmt: skip
        return y


def product(
    x: Tensor,
    linear: nn.Linear,
    many: bool,
    *,
    norm: nn.Module | None = None,
    gate: nn.Linear | None = None,
    residual: Tensor | None = None,
) -> Tensor:
    """Compute linear(norm(x)), or silu(linear(norm(x))) * gate(norm(x)), of x (tokens, inputs).

    If `residual` (tokens, outputs) is given, the result is added to it in place. `many` uses the tensor cores.
    """
    int4 = any(quantizing.is_int4(each.weight) for each in (linear, gate) if each is not None)
    if many or int4 or (gate is not None and gate.bias is not None):
        return _composed(x, linear, norm, gate, residual)
    gate_weight = None if gate is None else gate.weight
    return _product(x, linear.weight, norm=norm, gate=gate_weight, bias=linear.bias, residual=residual)


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
    each = inputs * (1 if gate is None else 2)
    warps = LARGE_WARPS if outputs * each >= LARGE else 1
    block = min(16, 1 << max(0, (warps * HELD // each).bit_length() - 1))
    launch(
        kernels.project, (-(-outputs // block),),
        x, data, gate_data, scale, gate_scale, x if norm is None else norm.weight, x if bias is None else bias, out, out,
        len(x), outputs, x.stride(0), residual_stride, out.stride(0), 0.0 if norm is None else norm.eps,
        INPUTS=inputs, BLOCK=block, CHUNK=min(warps * LOAD_BYTES // data.element_size(), next_power_of_two(inputs)),
        NORM=norm is not None, GATED=gate is not None, SCALED=scale is not None, BIASED=bias is not None,
        RESIDUAL=residual is not None, OVERLAP=OVERLAP, num_warps=warps, launch_pdl=OVERLAP,
    )  # fmt: skip
    return out


def logits(x: Tensor, head: Tensor, norm: nn.Module, many: bool) -> Tensor:
    """Compute (rows, choices) logits in float32."""
    if not many:
        return _product(x, head, norm=norm, exact=True)
    x = F.rms_norm(x, norm.weight.shape, norm.weight, norm.eps)  # type: ignore[arg-type]
    return F.linear(x, head) if x.dtype == torch.float32 else torch.mm(x, head.t(), out_dtype=torch.float32)


def _splits(caches: int, many: bool) -> int:
    """Return the shares of each cache. It is constant for few rows, so that their sums do not depend on the batch."""
    return SPLITS if not many else min(SPLITS, 1 << (max(1, PROGRAMS // caches).bit_length() - 1))
