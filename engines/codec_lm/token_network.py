"""The interface of a network that generates one token in each step, and how to compute its logits and embed its codes."""

from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.codec_lm.layers import RMSNorm
from engines.codec_lm.network import Network


class TokenNetwork(Network, Protocol):
    """A network whose hidden state gives the next token: one of the codes that the step can have, or an end."""

    layers: nn.ModuleList
    norm: RMSNorm
    table: Tensor  # rotations, (positions, head_dim / 2, 2)
    code_head: Tensor  # (period * codes + ends or more, dim)
    code_embeddings: Tensor  # (period * codes or more, dim)

    @property
    def codes(self) -> int:
        """Return the number of codes of a step; the logits after them are those of the end tokens."""
        ...

    @property
    def ends(self) -> int:
        """Return the number of tokens that end the speech."""
        ...

    @property
    def period(self) -> int:
        """Return the number of steps after which codes have the same meaning again: the steps of a frame."""
        ...

    @property
    def top_k(self) -> int:
        """Return how many of the likeliest codes may be chosen; 0 = all."""
        ...


def code_logits(network: TokenNetwork, hidden: Tensor, numbers: Tensor) -> Tensor:
    """Compute (b, codes + ends) logits of step (b,) `numbers` from hidden states (b, dim)."""
    logits, count = F.linear(network.norm(hidden), network.code_head), network.period * network.codes
    codes = logits[:, :count].view(len(logits), network.period, network.codes)
    ends = logits[:, count : count + network.ends]
    step = (numbers % network.period)[:, None, None].expand(-1, 1, network.codes)
    return torch.cat((codes.gather(1, step)[:, 0], ends), -1)


def embed_codes(network: TokenNetwork, codes: Tensor, numbers: Tensor) -> Tensor:
    """Embed the (b,) codes of step (b,) `numbers` as (b, dim)."""
    return F.embedding(numbers % network.period * network.codes + codes, network.code_embeddings)
