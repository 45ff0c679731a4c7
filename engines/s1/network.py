"""The dual autoregressive transformer, arranged for decoding many rows, one frame a step.

Same function and parameter names as fish-speech 0.1.0's `DualARTransformer`, so a checkpoint loads by name. Arranged
otherwise, none of which changes the codes:

- attention reads only the positions in use, and groups of query heads share their keys without copies;
- the head has rows for what may follow, the semantic codes and the end, not for 155,776 tokens;
- the semantic code is known before the fast stack starts, so its first two positions are one pass.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.s1.config import DualARConfig, StackConfig
from engines.s1.layers import RMSNorm, SwiGLU, embedding, rotary_table, rotate


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

    def forward(
        self, x: Tensor, positions: Tensor, table: Tensor, cache: Tensor, slots: Tensor | None = None
    ) -> Tensor:
        """x (b, t, dim), positions (b, t), their table, cache (2, b, kv_heads, length, head_dim), written in place.

        With `slots` (b,) the cache has more rows, and these are x's.
        """
        config = self.config
        batch, count, _ = x.shape
        heads, kv_heads, size = config.heads, config.kv_heads, config.head_dim
        q, k, v = self.wqkv(x).unflatten(-1, (-1, size)).split((heads, kv_heads, kv_heads), dim=2)
        if config.qk_norm:
            q, k = self.q_norm(q), self.k_norm(k)
        q, k = rotate(q, table), rotate(k, table)
        rows = (torch.arange(batch, device=x.device) if slots is None else slots)[:, None]
        keys, values = cache[0], cache[1]
        keys[rows, :, positions] = k.to(keys.dtype)
        values[rows, :, positions] = v.to(values.dtype)
        if slots is not None:
            keys, values = keys[slots], values[slots]
        group = heads // kv_heads
        q = q.view(batch, count, kv_heads, group, size).permute(0, 2, 3, 1, 4).reshape(batch, kv_heads, -1, size)
        seen = torch.arange(keys.shape[2], device=x.device) <= positions[:, :, None]  # (b, t, length)
        y = F.scaled_dot_product_attention(q, keys, values, attn_mask=seen[:, None].repeat(1, 1, group, 1))
        y = y.view(batch, kv_heads, group, count, size).permute(0, 3, 1, 2, 4).reshape(batch, count, heads * size)
        return self.wo(y)


class DualARLayer(nn.Module):
    """A transformer layer: attention over a KV cache, then feed-forward, each normed before."""

    def __init__(self, config: StackConfig) -> None:
        super().__init__()
        self.attention = CachedAttention(config)
        self.feed_forward = SwiGLU(config.dim, config.intermediate)
        self.ffn_norm = RMSNorm(config.dim, config.norm_eps)
        self.attention_norm = RMSNorm(config.dim, config.norm_eps)

    def forward(
        self, x: Tensor, positions: Tensor, table: Tensor, cache: Tensor, slots: Tensor | None = None
    ) -> Tensor:
        """As CachedAttention."""
        x = x + self.attention(self.attention_norm(x), positions, table, cache, slots)
        return x + self.feed_forward(self.ffn_norm(x))


class DualAR(nn.Module):
    """Text and frames in, the next frame's codes out. `semantic_begin` is the token of semantic code 0."""

    slow_table: Tensor
    fast_table: Tensor

    def __init__(self, config: DualARConfig, semantic_begin: int, semantic_count: int, end_token: int) -> None:
        super().__init__()
        self.config = config
        self.semantic_begin, self.semantic_count, self.end_token = semantic_begin, semantic_count, end_token
        slow, fast = config.slow, config.fast
        self.embeddings = embedding(config.vocabulary_size, slow.dim)
        self.codebook_embeddings = embedding(config.codebook_size * config.codebooks, slow.dim)
        self.layers = nn.ModuleList(DualARLayer(slow) for _ in range(slow.layers))
        self.norm = RMSNorm(slow.dim, slow.norm_eps)
        if not config.tied:
            self.output = nn.Linear(slow.dim, config.vocabulary_size, bias=False)
        self.fast_project_in = nn.Linear(slow.dim, fast.dim) if fast.dim != slow.dim else nn.Identity()
        self.fast_embeddings = embedding(config.codebook_size, fast.dim)
        self.fast_layers = nn.ModuleList(DualARLayer(fast) for _ in range(fast.layers))
        self.fast_norm = RMSNorm(fast.dim, fast.norm_eps)
        self.fast_output = nn.Linear(fast.dim, config.codebook_size, bias=False)
        positions = config.max_positions
        self.register_buffer("slow_table", rotary_table(positions, slow.head_dim, slow.rope_base), persistent=False)
        self.register_buffer(
            "fast_table", rotary_table(config.codebooks, fast.head_dim, slow.rope_base), persistent=False
        )

    def embed_text(self, tokens: Tensor) -> Tensor:
        """(t,) token ids -> (t, dim)."""
        return self.embeddings(tokens)

    def embed_frames(self, codes: Tensor) -> Tensor:
        """(b, codebooks) codes of frames -> (b, dim)."""
        config = self.config
        offsets = torch.arange(config.codebooks, device=codes.device) * config.codebook_size
        x = self.embeddings(self.semantic_begin + codes[:, 0]) + self.codebook_embeddings(codes + offsets).sum(1)
        return x / math.sqrt(config.codebooks + 1) if config.scaled else x

    def forward_slow(self, x: Tensor, positions: Tensor, cache: Tensor, slots: Tensor | None = None) -> Tensor:
        """The slow stack: (b, t, dim) at (b, t) positions -> hidden (b, t, dim); cache (layers, 2, b, kv, length, d).

        With `slots` (b,) the cache has more rows, and these are x's.
        """
        table = self.slow_table[positions]
        for layer, held in zip(self.layers, cache, strict=True):
            x = layer(x, positions, table, held, slots)
        return x

    def semantic_logits(self, hidden: Tensor) -> Tensor:
        """(b, dim) hidden -> (b, semantic codes + 1) logits; the last one ends the speech."""
        weight = self.embeddings.weight if self.config.tied else self.output.weight
        normed = self.norm(hidden)
        semantic = F.linear(normed, weight[self.semantic_begin : self.semantic_begin + self.semantic_count])
        return torch.cat((semantic, F.linear(normed, weight[self.end_token, None])), -1)

    def forward_fast(self, x: Tensor, first: int, cache: Tensor) -> Tensor:
        """The fast stack: (b, t, fast dim) from position `first` on -> (b, codebook_size) logits behind the last."""
        positions = torch.arange(first, first + x.shape[1], device=x.device)[None].expand(len(x), -1)
        table = self.fast_table[positions]
        for layer, held in zip(self.fast_layers, cache, strict=True):
            x = layer(x, positions, table, held)
        return self.fast_output(self.fast_norm(x[:, -1]))

    def slow_cache(self, rows: int, length: int) -> Tensor:
        """(layers, 2, rows, kv_heads, length, head_dim) zeros where the weights are."""
        return self._cache(self.config.slow, rows, length)

    def fast_cache(self, rows: int) -> Tensor:
        """(layers, 2, rows, kv_heads, codebooks, head_dim) zeros where the weights are."""
        return self._cache(self.config.fast, rows, self.config.codebooks)

    def _cache(self, config: StackConfig, rows: int, length: int) -> Tensor:
        weight = self.embeddings.weight
        shape = (config.layers, 2, rows, config.kv_heads, length, config.head_dim)
        return torch.zeros(shape, dtype=weight.dtype, device=weight.device)
