"""A Llama or Qwen2 language model that generates the codes of a codec as tokens.

The head has rows only for codes and ends, and a step chooses only among the codes that can follow. Text embeddings stay on the
host, because prompts need few of them.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.codec_lm.config import StackConfig
from engines.codec_lm.layers import RMSNorm, embedding, exact_rotary_table
from engines.codec_lm.transformer import CachedLayer, Places
from engines.runtime.transfers import to_device

ALIGNED = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeTokens:
    """The tokens of a codec's codes: from `first` on, `codes` tokens for each of the `steps` of a frame."""

    first: int
    codes: int
    steps: int
    ends: tuple[int, ...]  # tokens that end the speech

    @property
    def count(self) -> int:
        """Return the tokens of all codes."""
        return self.steps * self.codes

    def of(self, codes: Tensor) -> Tensor:
        """Return the (steps * frames,) tokens of (steps, frames) codes."""
        steps = torch.arange(self.steps)[:, None]
        return (self.first + steps * self.codes + codes.cpu()).T.flatten()


class LanguageModel(nn.Module):
    """A transformer over text and codes, with the methods of `engines.codec_lm.token_network.TokenNetwork`."""

    table: Tensor
    step_codes = 1

    def __init__(
        self, stack: StackConfig, vocabulary: int, tokens: CodeTokens, *, positions: int, tied: bool, top_k: int = 0
    ) -> None:
        """Create an unfilled network for rows of `positions`; with `tied`, the head is the embedding."""
        super().__init__()
        self.stack, self.tokens, self.max_positions, self.top_k = stack, tokens, positions, top_k
        self.embeddings = embedding(vocabulary, stack.dim)
        self.layers = nn.ModuleList(CachedLayer(stack) for _ in range(stack.layers))
        self.norm = RMSNorm(stack.dim, stack.norm_eps)
        if not tied:
            self.head = nn.Linear(stack.dim, vocabulary, bias=False)
        table = exact_rotary_table(positions, stack.head_dim, stack.rope_base, stack.rope_scaling)
        self.register_buffer("table", table, persistent=False)
        self.code_embeddings = self.code_head = torch.empty(0)  # filled by `place`

    def place(self, device: torch.device, dtype: torch.dtype) -> "LanguageModel":
        """Move the network to a device, except the embeddings and the head, of which the device gets the rows of the codes."""
        words = {self.embeddings, getattr(self, "head", self.embeddings)}
        for part in self.children():
            part.to("cpu" if part in words else device, dtype)
        self.table = self.table.to(device)
        tokens = self.tokens
        rows = [*range(tokens.first, tokens.first + tokens.count), *tokens.ends]
        rows += [0] * (-len(rows) % ALIGNED)  # products of unaligned sizes are slow on a GPU
        embeddings, head = self.embeddings.weight, getattr(self, "head", self.embeddings).weight
        self.code_embeddings = self.code_head = embeddings[rows].to(device)
        if head is not embeddings:
            self.code_head = head[rows].to(device)
        return self

    @property
    def device(self) -> torch.device:
        """Return the device of the layers."""
        return self.norm.weight.device

    @property
    def dtype(self) -> torch.dtype:
        """Return the dtype of hidden states."""
        return self.norm.weight.dtype

    @property
    def codes(self) -> int:
        """Return the codes of a step."""
        return self.tokens.codes

    @property
    def ends(self) -> int:
        """Return the tokens that end the speech."""
        return len(self.tokens.ends)

    @property
    def period(self) -> int:
        """Return the steps of a frame."""
        return self.tokens.steps

    @property
    def penalty_steps(self) -> int:
        """Return the steps that the repetition penalty covers: all that a row has room for, in whole frames."""
        return self.max_positions // self.period * self.period

    def embed(self, tokens: list[int] | Tensor) -> Tensor:
        """Embed (t,) tokens as (t, dim) on the device of the layers."""
        embedded = F.embedding(torch.as_tensor(tokens), self.embeddings.weight)
        return embedded if self.device.type == "cpu" else to_device(embedded, self.device)

    def head_rows(self, tokens: Tensor) -> Tensor:
        """Return the rows (t, dim) of the head for (t,) tokens, on the device of the layers."""
        rows = getattr(self, "head", self.embeddings).weight[tokens]
        return rows if self.device.type == "cpu" else to_device(rows, self.device)

    def hidden_states(self, x: Tensor, positions: Tensor, cache: Tensor, slots: Tensor | None = None) -> Tensor:
        """Run the layers; see `engines.codec_lm.network.Network`."""
        places = Places.of_rows(self.table, positions, cache, self.stack.group, slots)
        for layer, held in zip(self.layers, cache, strict=True):
            x = layer(x, places, held)
        return x
