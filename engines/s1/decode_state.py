"""What decoding reads and changes: one row of a few tensors on the device for each request that speaks.

Row `slot` of every tensor belongs to one request; rows in work fill the slots from 0 on, so that a step runs on views. A row's
first frame is like every other: its prompt is prefilled up to the last token, which is then its input.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from engines.runtime.mapped_rows import MappedRows
from engines.runtime.transfers import sent
from engines.s1.constants import WINDOW
from engines.s1.network import DualAR


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How codes are drawn."""

    seed: int
    temperature: float
    top_p: float
    repetition_penalty: float


class DecodeState:
    """`rows` slots of `length` positions each: KV caches, next inputs, positions, noise counters, recent codes, settings."""

    def __init__(
        self,
        network: DualAR,
        rows: int,
        length: int,
        residual_size: int,
        cached: torch.dtype | None = None,
        mapped: bool = False,
    ) -> None:
        """`residual_size` is how many codes a residual codebook has, which may be fewer than the network's head.

        Keys and values are `cached` as the network computes them or in int8; `mapped` rows take memory when they are used.
        Raises torch.OutOfMemoryError.
        """
        self.network, self.rows, self.length = network, rows, length
        self.residual_size = residual_size
        weight = network.norm.weight
        device, codebooks = weight.device, network.config.codebooks
        self._mapped: MappedRows | None = None
        if mapped:
            self.cache, self._mapped = network.mapped_cache(rows, length, cached or weight.dtype)
        else:
            self.cache = network.slow_cache(rows, length, cached)
        self.fast_cache = network.fast_cache(rows)
        self.pending = torch.zeros(rows, network.config.slow.dim, dtype=weight.dtype, device=device)  # next inputs
        self.positions = torch.zeros(rows, dtype=torch.long, device=device)
        self.seeds = torch.zeros(rows, dtype=torch.long, device=device)
        self.numbers = torch.zeros(rows, dtype=torch.long, device=device)  # frames drawn
        self.recent = torch.zeros(rows, codebooks, WINDOW, dtype=torch.long, device=device)  # oldest first
        self.settings = torch.zeros(3, rows, 1, device=device)  # temperature, nucleus, penalty
        self._by_slot = (
            (self.cache, 2), (self.pending, 0), (self.positions, 0), (self.seeds, 0), (self.numbers, 0), (self.recent, 0),
            (self.settings, 1),
        )  # fmt: skip
        self.changing = (self.pending, self.positions, self.numbers, self.recent)  # by a decode step

    @property
    def cache_bytes(self) -> int:
        """Bytes that keys and values take."""
        return self.cache.numel() * self.cache.element_size() if self._mapped is None else self._mapped.bytes

    def take(self, rows: int) -> None:
        """Have memory for the first rows' keys and values. Raises torch.OutOfMemoryError."""
        if self._mapped is not None:
            self._mapped.take(rows)

    def give_back(self, rows: int) -> None:
        """Hold memory for no more rows than these."""
        if self._mapped is not None:
            self._mapped.give_back(rows)

    def settle(self) -> None:
        """All that many rows do was tried: from here on only rows that were taken are used."""
        if self._mapped is not None:
            self._mapped.settle()

    def close(self) -> None:
        """Give keys' and values' memory back."""
        if self._mapped is not None:
            self._mapped.close()

    def prefill(self, slot: int, x: Tensor, start: int) -> None:
        """Put a prompt's (t, dim) embeddings at positions `start`... into the slot's KV cache."""
        if not len(x):
            return
        stop = start + len(x)
        positions = torch.arange(start, stop, device=x.device)[None]
        self.network.forward_slow(x[None], positions, self.cache[:, :, slot : slot + 1, :, :stop])

    @torch.inference_mode()
    def start_row(self, slot: int, pending: Tensor, position: int, sampling: Sampling) -> None:
        """Start decoding in this slot: its prompt is in the cache, but for the last token, which is `pending` (dim,)."""
        self.pending[slot] = pending
        # filled: a number that is assigned is copied from the host, and the copy waits for all work before it
        self.positions[slot].fill_(position)
        self.seeds[slot].fill_(sampling.seed)
        self.numbers[slot].fill_(0)
        self.recent[slot].fill_(0)
        chosen = (sampling.temperature, sampling.top_p, sampling.repetition_penalty)
        self.settings[:, slot, 0] = sent(chosen, self.settings.device)

    def swap(self, one: int, other: int) -> None:
        """Exchange two slots."""
        pair, turned = (sent(slots, self.cache.device) for slots in ((one, other), (other, one)))
        for held, axis in self._by_slot:
            held.index_copy_(axis, pair, held.index_select(axis, turned))

    def move(self, slot: int, to: int) -> None:
        """Copy a slot over another one, which takes no memory."""
        for held, axis in self._by_slot:
            held.select(axis, to).copy_(held.select(axis, slot))
