"""The dual autoregressive transformer, arranged for decoding many rows, one frame a step.

Parameter names equal those of fish-speech 0.1.0's `DualARTransformer`, so a checkpoint loads by name. Two differences do not
change the codes:

- the head has rows only for the semantic codes and the end token, not for all 155,776 tokens;
- the semantic code is known before the fast stack starts, so the first two positions are one pass.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.codec_lm import kv_cache
from engines.codec_lm.config import StackConfig
from engines.codec_lm.constants import WINDOW
from engines.codec_lm.layers import RMSNorm, embedding, rotary_table
from engines.codec_lm.transformer import CachedLayer, Places
from engines.s1.config import DualARConfig

POSITIONS = 1280  # longest row in positions, with its reference


class DualAR(nn.Module):
    """Predicts the codes of the next frame from text and frames.

    `semantic_begin` is the token of semantic code 0. `residual_size` is the size of a residual codebook, which may be smaller
    than the head of the fast stack.
    """

    slow_table: Tensor
    fast_table: Tensor

    def __init__(
        self, config: DualARConfig, semantic_begin: int, semantic_count: int, end_token: int, residual_size: int = 0
    ) -> None:
        super().__init__()
        self.config = config
        self.residual_size = min(residual_size or config.codebook_size, config.codebook_size)
        self.semantic_begin, self.semantic_count, self.end_token = semantic_begin, semantic_count, end_token
        slow, fast = config.slow, config.fast
        self.embeddings = embedding(config.vocabulary_size, slow.dim)
        self.codebook_embeddings = embedding(config.codebook_size * config.codebooks, slow.dim)
        self.layers = nn.ModuleList(CachedLayer(slow) for _ in range(slow.layers))
        self.norm = RMSNorm(slow.dim, slow.norm_eps)
        if not config.tied:
            self.output = nn.Linear(slow.dim, config.vocabulary_size, bias=False)
        self.fast_project_in = nn.Linear(slow.dim, fast.dim) if fast.dim != slow.dim else nn.Identity()
        self.fast_embeddings = embedding(config.codebook_size, fast.dim)
        self.fast_layers = nn.ModuleList(CachedLayer(fast) for _ in range(fast.layers))
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
    def dtype(self) -> torch.dtype:
        """Return the dtype of hidden states."""
        return self.norm.weight.dtype

    @property
    def stack(self) -> StackConfig:
        """Return the sizes of the stack whose keys and values are cached."""
        return self.config.slow

    @property
    def max_positions(self) -> int:
        """Return the longest row in positions."""
        return min(POSITIONS, self.config.max_positions)

    @property
    def penalty_steps(self) -> int:
        """Return the frames that the repetition penalty covers."""
        return WINDOW

    @property
    def step_codes(self) -> int:
        """Return the codes of a frame."""
        return self.config.codebooks

    @property
    def fast_head(self) -> Tensor:
        """Return the (residual_size, dim) head of the fast stack."""
        return self.fast_output.weight[: self.residual_size]

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

    def hidden_states(self, x: Tensor, positions: Tensor, cache: Tensor, slots: Tensor | None = None) -> Tensor:
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

    def fast_cache(self, rows: int) -> Tensor:
        """Allocate (layers, 2, rows, kv_heads, codebooks, head_dim) zeros, which each frame writes anew."""
        return kv_cache.allocate(self.config.fast, rows, self.config.codebooks, self.dtype, self.device)
