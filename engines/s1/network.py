"""The dual autoregressive transformer, arranged for decoding many rows, one frame a step.

Function and parameter names equal fish-speech 0.1.0's `DualARTransformer`, so a checkpoint loads by name. Three differences
do not change the codes:

- attention reads only the used positions, and groups of query heads share their keys without copies;
- the head has rows only for the semantic codes and the end token, not for all 155,776 tokens;
- the semantic code is known before the fast stack starts, so the first two positions are one pass.
"""

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.runtime.mapped_rows import MappedRows
from engines.s1 import kv_cache
from engines.s1.config import DualARConfig, StackConfig
from engines.s1.layers import RMSNorm, SwiGLU, complex_table, embedding, rotary_table, rotate_complex


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
        qk = rotate_complex(self._normed(qk.float()), places.rotations).to(v.dtype)
        places.write(cache, torch.cat((qk[:, :, heads:], v), 2).view(batch, count, 2, kv_heads, size))
        keys, values = kv_cache.read(cache if places.slots is None else cache[:, places.slots], v.dtype)
        q = qk[:, :, :heads].view(batch, count, kv_heads, group, size).permute(0, 2, 3, 1, 4)
        q = q.reshape(batch, kv_heads, -1, size)
        y = F.scaled_dot_product_attention(q, keys, values, attn_mask=places.unseen)
        y = y.view(batch, kv_heads, group, count, size).permute(0, 3, 1, 2, 4).reshape(batch, count, heads * size)
        return self.wo(y)

    def _normed(self, qk: Tensor) -> Tensor:
        """Return queries and keys (b, t, heads + kv_heads, head_dim) in float32, normalised if the configuration says so."""
        config = self.config
        if not config.qk_norm:
            return qk
        weights = self.q_norm.weight.expand(config.heads, -1), self.k_norm.weight.expand(config.kv_heads, -1)
        return F.rms_norm(qk, (config.head_dim,), eps=config.norm_eps) * torch.cat(weights)


class DualARLayer(nn.Module):
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


class DualAR(nn.Module):
    """Predicts the codes of the next frame from text and frames. `semantic_begin` is the token of semantic code 0."""

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
        self._placed: tuple[Tensor, Tensor] | None = None

    def place(self, device: torch.device, dtype: torch.dtype) -> "DualAR":
        """Move the network to a device, except the text embeddings: prompts need few of them, so they stay on the host."""
        whole = {self.embeddings} if self.config.tied else {self.embeddings, self.output}
        for part in self.children():
            part.to("cpu" if part in whole else device, dtype)
        self.slow_table, self.fast_table = self.slow_table.to(device, dtype), self.fast_table.to(device, dtype)
        self._placed = None
        self._placed = self.semantic_embeddings.to(device, copy=True), self.head.to(device)
        return self

    @property
    def device(self) -> torch.device:
        """Return the device that generates frames."""
        return self.norm.weight.device

    @property
    def semantic_embeddings(self) -> Tensor:
        """Return the (semantic codes, dim) embeddings."""
        if self._placed is not None:
            return self._placed[0]
        return self.embeddings.weight[self.semantic_begin : self.semantic_begin + self.semantic_count]

    @property
    def head(self) -> Tensor:
        """Return the (semantic codes + 1, dim) head, whose last row is the end of speech."""
        if self._placed is not None:
            return self._placed[1]
        weight = self.embeddings.weight if self.config.tied else self.output.weight
        semantic = weight[self.semantic_begin : self.semantic_begin + self.semantic_count]
        return torch.cat((semantic, weight[self.end_token, None]))

    def embed_text(self, tokens: Tensor) -> Tensor:
        """Embed (t,) token ids as (t, dim), on the device of `embeddings`."""
        return self.embeddings(tokens)

    def embed_frames(self, codes: Tensor) -> Tensor:
        """Embed (b, codebooks) codes of frames as (b, dim)."""
        config = self.config
        offsets = torch.arange(config.codebooks, device=codes.device) * config.codebook_size
        x = F.embedding(codes[:, 0], self.semantic_embeddings) + self.codebook_embeddings(codes + offsets).sum(1)
        return x / math.sqrt(config.codebooks + 1) if config.scaled else x

    def forward_slow(self, x: Tensor, positions: Tensor, cache: Tensor, slots: Tensor | None = None) -> Tensor:
        """Run the slow stack: (b, t, dim) at (b, t) positions -> (b, t, dim); cache (layers, 2, b, kv, length, vector).

        With `slots` (b,), the cache has more rows, and `slots` are the rows of x.
        """
        places = Places.of_rows(self.slow_table, positions, cache, self.config.slow.group, slots)
        for layer, held in zip(self.layers, cache, strict=True):
            x = layer(x, places, held)
        return x

    def semantic_logits(self, hidden: Tensor) -> Tensor:
        """Compute (b, semantic codes + 1) logits from hidden states (b, dim)."""
        return F.linear(self.norm(hidden), self.head)

    def forward_fast(self, x: Tensor, first: int, cache: Tensor) -> Tensor:
        """Run the fast stack: (b, t, fast dim) from position `first` on -> (b, codebook_size) logits of the last one."""
        stop = first + x.shape[1]
        cache = cache[..., :stop, :]
        places = Places.of_span(self.fast_table, first, stop, cache, self.config.fast.group)
        for layer, held in zip(self.fast_layers, cache, strict=True):
            x = layer(x, places, held)
        return self.fast_output(self.fast_norm(x[:, -1]))

    def slow_cache(self, rows: int, length: int, dtype: torch.dtype | None = None) -> Tensor:
        """Allocate (layers, 2, rows, kv_heads, length, vector) zeros on the network's device, in its dtype or int8."""
        return self._cache(self.config.slow, rows, length, dtype or self.norm.weight.dtype)

    def fast_cache(self, rows: int) -> Tensor:
        """Allocate (layers, 2, rows, kv_heads, codebooks, head_dim) zeros on the network's device."""
        return self._cache(self.config.fast, rows, self.config.codebooks, self.norm.weight.dtype)

    def mapped_cache(self, rows: int, length: int, dtype: torch.dtype) -> tuple[Tensor, MappedRows]:
        """Reserve a cache like `slow_cache`, whose rows are allocated when they are used. Needs CUDA."""
        slow = self.config.slow
        shape = slow.layers, 2, slow.kv_heads, length, kv_cache.vector(slow.head_dim, dtype)
        mapped = MappedRows(rows, self.row_bytes(length, dtype), self.device)
        return mapped.bytes_of_all.view(dtype).view(rows, *shape).permute(1, 2, 0, 3, 4, 5), mapped

    def row_bytes(self, length: int, dtype: torch.dtype) -> int:
        """Return the bytes of a row of `slow_cache`."""
        slow = self.config.slow
        vectors = slow.layers * 2 * slow.kv_heads * length
        return vectors * kv_cache.vector(slow.head_dim, dtype) * dtype.itemsize

    def _cache(self, config: StackConfig, rows: int, length: int, dtype: torch.dtype) -> Tensor:
        shape = (config.layers, 2, rows, config.kv_heads, length, kv_cache.vector(config.head_dim, dtype))
        return torch.zeros(shape, dtype=dtype, device=self.device)
