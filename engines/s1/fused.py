"""A decode step as a sequence of kernels that never synchronise, so that a CUDA graph can record it.

The results equal `Decoder.draw` up to rounding. Norms, gates and residuals are fused into the products, attention reads only
the positions that each row has written, and nothing is sorted.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.runtime import quantization as quantizing
from engines.runtime.launching import launch
from engines.s1 import kernels
from engines.s1.config import StackConfig
from engines.s1.decode_state import DecodeState
from engines.s1.network import CachedAttention, DualARLayer

HELD = (
    4096  # weights in one program's registers: enough loads in flight for the bandwidth, and registers left to compute
)
LOAD_BYTES = 512  # bytes that 32 lanes read at once, 16 each
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
    """Positions of a stack's new tokens: `positions` (b,) of each row's first, or (1,) for all, and the rotary `table`."""

    config: StackConfig
    table: Tensor
    positions: Tensor
    count: int  # new tokens of a row
    many: bool  # True if there are more than ROWS_HELD rows
    splits: int = 0  # shares of a row's cache; 0 if the cache is too short to divide


class FusedDecoder:
    """Generates frames for the rows of a `DecodeState`, and updates the state."""

    def __init__(self, state: DecodeState) -> None:
        self.state, self.network = state, state.network
        network, config, rows = self.network, self.network.config, state.rows
        device, dtype = state.pending.device, state.pending.dtype
        self._head = network.head
        self._fast_head = network.fast_output.weight[: state.residual_size]
        # The hidden state and the newest code's embedding.
        self._pair = torch.zeros(rows, 2, config.fast.dim, dtype=dtype, device=device)
        self._drawn = torch.zeros(rows, config.codebooks, dtype=torch.long, device=device)
        self._steps = torch.arange(config.codebooks, device=device)
        slots = rows * config.slow.heads
        self._arrivals = torch.zeros(slots, dtype=torch.int32, device=device)
        share = max(TILE, _padded(config.slow.head_dim)) + kernels.SHARE.value
        self._partial = torch.zeros(slots, SPLITS, share, device=device)

    @torch.inference_mode()
    def draw(self, rows: int) -> Tensor:
        """Compute the same as `Decoder.draw`. The next call overwrites the result."""
        state, network, config = self.state, self.network, self.network.config
        # Layers add to `x` and `pair` in place; both are written again for each frame.
        x, pair, many = state.pending[:rows], self._pair[:rows], rows > ROWS_HELD
        tokens = TokenPositions(
            config.slow, network.slow_table, state.positions, 1, many, _splits(rows * config.slow.kv_heads, many)
        )
        for layer, cache in zip(network.layers, state.cache, strict=True):
            self._layer(layer, x, cache, tokens)  # type: ignore[arg-type]
        pair[:, 0] = network.fast_project_in(x)
        self._choose(_logits(x, self._head, network.norm, many), 0)
        for codebook in range(1, config.codebooks):
            first = 0 if codebook == 1 else codebook
            tokens = TokenPositions(config.fast, network.fast_table, self._steps[first:], codebook - first + 1, many)
            x = pair.view(-1, config.fast.dim) if first == 0 else pair[:, 1]
            for layer, cache in zip(network.fast_layers, state.fast_cache, strict=True):
                self._layer(layer, x, cache, tokens)  # type: ignore[arg-type]
            self._choose(_logits(pair[:, 1], self._fast_head, network.fast_norm, many), codebook)
        self._advance(rows)
        return self._drawn[:rows]

    def _layer(self, layer: DualARLayer, x: Tensor, cache: Tensor, tokens: TokenPositions) -> None:
        """Add a layer's output to x (tokens, dim)."""
        attention, feed_forward = layer.attention, layer.feed_forward
        many = tokens.many
        qkv = product(x, attention.wqkv, many, norm=layer.attention_norm)
        product(self._attend(attention, qkv, cache, tokens), attention.wo, many, residual=x)
        gated = product(x, feed_forward.w1, many, gate=feed_forward.w3, norm=layer.ffn_norm)
        product(gated, feed_forward.w2, many, residual=x)

    def _attend(self, attention: CachedAttention, qkv: Tensor, cache: Tensor, tokens: TokenPositions) -> Tensor:
        config, long = tokens.config, tokens.splits > 0
        y = qkv.new_empty(len(qkv), config.heads * config.head_dim)
        normed, small = config.qk_norm, cache.dtype == torch.int8
        launch(
            kernels.attend, (len(qkv), config.kv_heads, max(1, tokens.splits)),
            qkv, cache, cache.view(torch.float32) if small else qkv, tokens.positions, tokens.table,
            attention.q_norm.weight if normed else qkv, attention.k_norm.weight if normed else qkv,
            y, self._partial, self._arrivals,
            int(long), cache.stride(0), cache.stride(1), cache.stride(2),
            1 / math.sqrt(config.head_dim), config.norm_eps,
            HEADS=config.heads, KV_HEADS=config.kv_heads, SIZE=config.head_dim, VECTOR=cache.shape[-1],
            PADDED=max(TILE, _padded(config.head_dim)), COUNT=tokens.count, QUERIES=max(TILE, _padded(config.group)),
            SPLITS=max(1, tokens.splits), BLOCK=BLOCK if long else TILE, STAGES=STAGES, NORM=normed, SMALL=small,
            OVERLAP=OVERLAP,
            num_warps=(2 if tokens.many else 4) if long else 1, launch_pdl=OVERLAP,
        )  # fmt: skip
        return y

    def _choose(self, logits: Tensor, codebook: int) -> None:
        """Sample a code of each row, and write its embedding to the fast stack's input."""
        state, (rows, choices) = self.state, logits.shape
        embeddings = self.network.fast_embeddings.weight
        temperatures, top_ps, penalties = state.settings
        launch(
            kernels.draw, (rows,),
            logits, state.recent, state.numbers, state.seeds, temperatures, top_ps, penalties,
            self._drawn, embeddings, self._pair[:, 1],
            choices, codebook, self._pair.stride(0), self._drawn.shape[1], embeddings.shape[1],
            PADDED=_padded(choices), DIM_PADDED=_padded(embeddings.shape[1]), SEMANTIC=codebook == 0,
            OVERLAP=OVERLAP, num_warps=8 if codebook == 0 else 4, launch_pdl=OVERLAP,
        )  # fmt: skip

    def _advance(self, rows: int) -> None:
        state, network, config = self.state, self.network, self.network.config
        launch(
            kernels.advance, (rows,),
            self._drawn, network.semantic_embeddings, network.codebook_embeddings.weight,
            state.pending, state.positions, state.numbers, state.recent,
            network.semantic_count, config.codebook_size, config.slow.dim,
            1 / math.sqrt(config.codebooks + 1) if config.scaled else 1.0, state.length,
            CODEBOOKS=config.codebooks, CODEBOOKS_PADDED=_padded(config.codebooks), DIM_PADDED=_padded(config.slow.dim),
            OVERLAP=OVERLAP, num_warps=4, launch_pdl=OVERLAP,
        )  # fmt: skip


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
    if many or any(
        each.bias is not None or quantizing.is_int4(each.weight) for each in (linear, gate) if each is not None
    ):
        return _composed(x, linear, norm, gate, residual)
    return _product(x, linear.weight, norm=norm, gate=None if gate is None else gate.weight, residual=residual)


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
    block = min(16, 1 << max(0, (HELD // each).bit_length() - 1))
    launch(
        kernels.project, (-(-outputs // block),),
        x, data, gate_data, scale, gate_scale, x if norm is None else norm.weight, out, out,
        len(x), outputs, x.stride(0), residual_stride, out.stride(0), 0.0 if norm is None else norm.eps,
        INPUTS=inputs, BLOCK=block, CHUNK=min(LOAD_BYTES // data.element_size(), _padded(inputs)),
        NORM=norm is not None, GATED=gate is not None, SCALED=scale is not None, RESIDUAL=residual is not None,
        OVERLAP=OVERLAP, num_warps=1, launch_pdl=OVERLAP,
    )  # fmt: skip
    return out


def _logits(x: Tensor, head: Tensor, norm: nn.Module, many: bool) -> Tensor:
    """Compute (rows, choices) logits in float32."""
    if not many:
        return _product(x, head, norm=norm, exact=True)
    x = F.rms_norm(x, norm.weight.shape, norm.weight, norm.eps)  # type: ignore[arg-type]
    return F.linear(x, head) if x.dtype == torch.float32 else torch.mm(x, head.t(), out_dtype=torch.float32)


def _splits(caches: int, many: bool) -> int:
    """Return the shares of each cache. It is constant for few rows, so that their sums do not depend on the batch."""
    return SPLITS if not many else min(SPLITS, 1 << (max(1, PROGRAMS // caches).bit_length() - 1))


def _padded(size: int) -> int:
    """Round up to the power of two that a kernel's block needs."""
    return 1 << (size - 1).bit_length()
