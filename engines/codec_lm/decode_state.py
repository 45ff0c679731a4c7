"""The state of decoding: tensors on the device with one row per request.

Row `slot` of every tensor belongs to one request. Active rows fill the slots from 0 on, so that a step runs on views. A row's
first step is no exception: its prompt is prefilled except for the last token, which is the input of the first step.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from engines.codec_lm import kv_cache
from engines.codec_lm.network import Network
from engines.runtime.mapped_rows import MappedRows
from engines.runtime.transfers import to_device


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """The sampling settings of a row."""

    seed: int
    temperature: float
    top_p: float
    repetition_penalty: float = 1.0

    @classmethod
    def of(cls, seed: int, settings: Mapping[str, float]) -> "Sampling":
        """Return the sampling settings among an engine's settings."""
        names = {each.name for each in fields(cls)} & settings.keys()
        return cls(seed=seed, **{name: settings[name] for name in names})


class DecodeState:
    """The state of `rows` slots with `length` positions: caches, inputs, positions, counters, recent codes, settings."""

    def __init__(
        self,
        network: Network,
        rows: int,
        length: int,
        cached: torch.dtype | None = None,
        mapped: bool = False,
    ) -> None:
        """Allocate the state. `cached` is the dtype of keys and values, by default the network's, or int8.

        `mapped` rows are allocated when they are used. Raises torch.OutOfMemoryError.
        """
        self.network, self.rows, self.length = network, rows, length
        device, stack, kind = network.device, network.stack, cached or network.dtype
        self._mapped: MappedRows | None = None
        if mapped:
            self.cache, self._mapped = kv_cache.allocate_mapped(stack, rows, length, kind, device)
        else:
            self.cache = kv_cache.allocate(stack, rows, length, kind, device)
        self.pending = torch.zeros(rows, stack.dim, dtype=network.dtype, device=device)  # next inputs
        self.positions = torch.zeros(rows, dtype=torch.long, device=device)
        self.seeds = torch.zeros(rows, dtype=torch.long, device=device)
        self.numbers = torch.zeros(rows, dtype=torch.long, device=device)  # steps so far
        self.recent = torch.zeros(
            rows, network.step_codes, network.penalty_steps, dtype=torch.long, device=device
        )  # oldest first
        self.settings = torch.zeros(3, rows, 1, device=device)  # temperature, nucleus, penalty
        self._by_slot = (
            (self.cache, 2), (self.pending, 0), (self.positions, 0), (self.seeds, 0), (self.numbers, 0), (self.recent, 0),
            (self.settings, 1),
        )  # fmt: skip
        self.changing = (self.pending, self.positions, self.numbers, self.recent)  # tensors that a decode step changes

    @property
    def cache_bytes(self) -> int:
        """Return the bytes of keys and values."""
        return self.cache.numel() * self.cache.element_size() if self._mapped is None else self._mapped.bytes

    def allocate(self, rows: int) -> None:
        """Allocate keys and values of the first rows. Raises torch.OutOfMemoryError."""
        if self._mapped is not None:
            self._mapped.allocate(rows)

    def release(self, rows: int) -> None:
        """Free keys and values of all rows after the first `rows`."""
        if self._mapped is not None:
            self._mapped.release(rows)

    def finish_warmup(self) -> None:
        """Warm-up is finished: from now on only allocated rows are used."""
        if self._mapped is not None:
            self._mapped.finish_warmup()

    def close(self) -> None:
        """Free keys and values."""
        if self._mapped is not None:
            self._mapped.close()

    def prefill(self, slot: int, x: Tensor, start: int) -> None:
        """Write a prompt's (t, dim) embeddings into the slot's KV cache from position `start` on."""
        if not len(x):
            return
        stop = start + len(x)
        positions = torch.arange(start, stop, device=x.device)[None]
        self.network.hidden_states(x[None], positions, self.cache[:, :, slot : slot + 1, :, :stop])

    @torch.inference_mode()
    def start_row(self, slot: int, pending: Tensor, position: int, sampling: Sampling) -> None:
        """Start decoding in this slot, whose prompt is in the cache except for the last token, `pending` (dim,)."""
        self.pending[slot] = pending
        # fill_: assigning a number copies it from the host, and the copy waits for all earlier work
        self.positions[slot].fill_(position)
        self.seeds[slot].fill_(sampling.seed)
        self.numbers[slot].fill_(0)
        self.recent[slot].fill_(0)
        chosen = (sampling.temperature, sampling.top_p, sampling.repetition_penalty)
        self.settings[:, slot, 0] = to_device(chosen, self.settings.device)

    def advance(self, rows: int, codes: Tensor) -> None:
        """Append the (rows, codes) codes of a step to the history of the first rows, and move to the next position."""
        # A row past its end stays within the cache.
        self.positions[:rows] = (self.positions[:rows] + 1).clamp(max=self.length - 1)
        self.recent[:rows] = torch.cat((self.recent[:rows, :, 1:], codes[:, :, None]), 2)
        self.numbers[:rows] += 1

    def swap(self, one: int, other: int) -> None:
        """Exchange two slots."""
        pair, turned = (to_device(slots, self.cache.device) for slots in ((one, other), (other, one)))
        for held, axis in self._by_slot:
            held.index_copy_(axis, pair, held.index_select(axis, turned))

    def move(self, slot: int, to: int) -> None:
        """Copy a slot over another one, without extra memory."""
        for held, axis in self._by_slot:
            held.select(axis, to).copy_(held.select(axis, slot))
