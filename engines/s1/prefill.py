"""Prompts into KV caches: on a GPU padded to one of few sizes, each recorded as a CUDA graph."""

from collections.abc import Iterator

import torch
from torch import Tensor

from engines.runtime.compilation import Compiled, Graphs
from engines.s1.decode_state import DecodeState

SIZES = (16, 32, 64, 128, 256)  # tokens of a prompt; a longer one is a reference's, and prefilled once


class Prefiller:
    """Fills the slots of a `DecodeState`."""

    def __init__(self, state: DecodeState, compile: bool) -> None:
        """`compile` needs CUDA."""
        device = state.pending.device
        self.state = state
        self._x = torch.zeros(SIZES[-1], state.pending.shape[1], dtype=state.pending.dtype, device=device)
        self._positions = torch.zeros(SIZES[-1], dtype=torch.long, device=device)
        self._slot = torch.zeros(1, dtype=torch.long, device=device)
        self.compiled = Compiled(self._run, Graphs(self._run, ())) if compile else None
        self.ready: list[int] = []  # sizes that are recorded

    @torch.inference_mode()
    def prefill(self, slot: int, x: Tensor, start: int) -> None:
        """As `DecodeState.prefill`. Padding is written behind the prompt, where it is overwritten before it is read."""
        size = next((size for size in self.ready if size >= len(x)), None)
        if size is None:
            self.state.prefill(slot, x, start)
        elif len(x):
            self._x[: len(x)] = x
            self._put(slot, start)
            (self.compiled or self._run)(size)

    @torch.inference_mode()
    def warm(self) -> Iterator[int]:
        """Record each size; rows in work lose nothing, for at the last position none is going on."""
        for size in SIZES if self.compiled is not None else ():
            self._put(0, self.state.length - 1)
            (self.compiled or self._run)(size)
            self.ready.append(size)
            yield size

    def _put(self, slot: int, start: int) -> None:
        positions = torch.arange(start, start + SIZES[-1], device=self._positions.device)
        self._positions.copy_(positions.clamp(max=self.state.length - 1))
        self._slot.fill_(slot)

    def _run(self, size: int) -> Tensor:
        network, cache = self.state.network, self.state.cache
        return network.forward_slow(self._x[None, :size], self._positions[None, :size], cache, self._slot)
