"""Transformer layers with a KV cache, arranged for decoding many rows, one step at a time.

Attention reads only the used positions, and groups of query heads share their keys without copies.
"""

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.codec_lm import kv_cache
from engines.codec_lm.config import StackConfig
from engines.codec_lm.layers import RMSNorm, SwiGLU, complex_table, rotate_complex, rotate_halves


class Places(NamedTuple):
    """The positions of a pass's tokens, computed once for all layers: rotations, mask, and cache indices."""

    rotations: Tensor  # (b or 1, t, 1, head_dim / 2) complex
    unseen: Tensor | None  # (b or 1, 1, queries, length), -inf where a key is masked; None without a mask
    written: tuple[Tensor | slice, ...]  # index into (2, b, kv_heads, length, vector)
    slots: Tensor | None  # (b,) cache rows to read, if the cache has more rows

    @classmethod
    def of_rows(cls, table: Tensor, positions: Tensor, cache: Tensor, group: int, slots: Tensor | None) -> "Places":
        """Compute the places of (b, t) positions, different in each row, in a (..., length, vector) cache."""
        rows = (torch.arange(len(positions), device=cache.device) if slots is None else slots)[:, None]
        later = torch.arange(cache.shape[-2], device=cache.device) > positions[:, :, None]
        unseen = torch.zeros(later.shape, dtype=table.dtype, device=cache.device).masked_fill(later, -math.inf)
        written = (slice(None), rows, slice(None), positions)
        return cls(complex_table(table[positions]), unseen[:, None].repeat(1, 1, group, 1), written, slots)

    @classmethod
    def of_span(cls, table: Tensor, start: int, stop: int, cache: Tensor, group: int) -> "Places":
        """Compute the places of positions that are equal in every row, in a cache that ends with them."""
        count = stop - start
        unseen = None
        if count > 1:
            above = torch.full((count, stop), -math.inf, dtype=table.dtype, device=cache.device).triu(start + 1)
            unseen = above.repeat(group, 1)[None, None]
        written = (slice(None), slice(None), slice(None), slice(start, stop))
        return cls(complex_table(table[None, start:stop]), unseen, written, None)

    def write(self, cache: Tensor, entries: Tensor) -> None:
        """Write (b, t, 2, kv_heads, head_dim) keys and values into a layer's cache."""
        if isinstance(self.written[-1], slice):
            entries = entries.permute(2, 0, 3, 1, 4)
        cache[self.written] = kv_cache.stored(entries, cache.dtype)


class CachedAttention(nn.Module):
    """Grouped-query attention (Ainslie et al. 2023, arXiv:2305.13245) over a cache."""

    def __init__(self, config: StackConfig) -> None:
        super().__init__()
        self.config = config
        width = (config.heads + 2 * config.kv_heads) * config.head_dim
        self.wqkv = nn.Linear(config.dim, width, bias=config.qkv_bias)
        self.wo = nn.Linear(config.heads * config.head_dim, config.dim, bias=config.o_bias)
        if config.qk_norm:
            self.q_norm = nn.RMSNorm(config.head_dim, config.norm_eps)
            self.k_norm = nn.RMSNorm(config.head_dim, config.norm_eps)

    def forward(self, x: Tensor, places: Places, cache: Tensor) -> Tensor:
        """Attend: x (b, t, dim); cache (2, b, kv_heads, length, vector) is updated in place."""
        config = self.config
        batch, count, _ = x.shape
        heads, kv_heads, group, size = config.heads, config.kv_heads, config.group, config.head_dim
        qk, v = self.wqkv(x).unflatten(-1, (-1, size)).split((heads + kv_heads, kv_heads), dim=2)
        rotate = rotate_halves if config.rope_halves else rotate_complex
        qk = rotate(self._normed(qk.float()), places.rotations).to(v.dtype)
        places.write(cache, torch.cat((qk[:, :, heads:], v), 2).view(batch, count, 2, kv_heads, size))
        keys, values = kv_cache.read(cache if places.slots is None else cache[:, places.slots], v.dtype)
        q = qk[:, :, :heads].view(batch, count, kv_heads, group, size).permute(0, 2, 3, 1, 4)
        q = q.reshape(batch, kv_heads, -1, size)
        unseen = None if places.unseen is None else places.unseen.to(q.dtype)  # the table may be more exact
        y = F.scaled_dot_product_attention(q, keys, values, attn_mask=unseen)
        y = y.view(batch, kv_heads, group, count, size).permute(0, 3, 1, 2, 4).reshape(batch, count, heads * size)
        return self.wo(y)

    def _normed(self, qk: Tensor) -> Tensor:
        """Return queries and keys (b, t, heads + kv_heads, head_dim) in float32, normalised if the configuration says so."""
        config = self.config
        if not config.qk_norm:
            return qk
        weights = self.q_norm.weight.expand(config.heads, -1), self.k_norm.weight.expand(config.kv_heads, -1)
        return F.rms_norm(qk, (config.head_dim,), eps=config.norm_eps) * torch.cat(weights)


class CachedLayer(nn.Module):
    """A transformer layer: attention over a KV cache, then feed-forward, each with a norm before it."""

    def __init__(self, config: StackConfig) -> None:
        super().__init__()
        self.attention = CachedAttention(config)
        self.feed_forward = SwiGLU(config.dim, config.intermediate)
        self.ffn_norm = RMSNorm(config.dim, config.norm_eps)
        self.attention_norm = RMSNorm(config.dim, config.norm_eps)

    def forward(self, x: Tensor, places: Places, cache: Tensor) -> Tensor:
        """Transform x; arguments as in CachedAttention."""
        x = x + self.attention(self.attention_norm(x), places, cache)
        return x + self.feed_forward(self.ffn_norm(x))
