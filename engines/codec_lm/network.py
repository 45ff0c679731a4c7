"""The network of a codec language model, as the decode state and the prefill use it."""

from typing import Protocol

import torch
from torch import Tensor

from engines.codec_lm.config import StackConfig


class Network(Protocol):
    """A transformer whose keys and values are cached."""

    @property
    def stack(self) -> StackConfig:
        """Return the sizes of the layers whose keys and values are cached."""
        ...

    @property
    def max_positions(self) -> int:
        """Return the longest row in positions."""
        ...

    @property
    def step_codes(self) -> int:
        """Return the number of codes that a decode step generates for a row."""
        ...

    @property
    def penalty_steps(self) -> int:
        """Return the number of latest steps whose codes the repetition penalty covers."""
        ...

    @property
    def device(self) -> torch.device:
        """Return the device of the layers."""
        ...

    @property
    def dtype(self) -> torch.dtype:
        """Return the dtype of hidden states."""
        ...

    def hidden_states(self, x: Tensor, positions: Tensor, cache: Tensor, slots: Tensor | None = None) -> Tensor:
        """Run the layers: (b, t, dim) at (b, t) positions -> (b, t, dim); cache (layers, 2, b, kv_heads, length, vector).

        With `slots` (b,), the cache has more rows, and `slots` are the rows of x.
        """
        ...
