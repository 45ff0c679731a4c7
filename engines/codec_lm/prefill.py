"""Write prompts to KV caches. On a GPU, one pass reads several prompts, padded to a few shapes with a CUDA graph each."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from engines.codec_lm.decode_state import DecodeState
from engines.runtime.backends import Selection
from engines.runtime.compilation import CudaGraphCache, WithEagerFallback
from engines.runtime.priorities import MODEL_STEPS
from engines.runtime.transfers import to_device

TOGETHER = 8  # prompts in one pass
SPAN = 512  # most prompts end within this many positions


class Prompt(NamedTuple):
    """Embeddings for a slot's KV cache, from position `start` on."""

    slot: int
    x: Tensor  # (t, dim)
    start: int


class Shape(NamedTuple):
    """The sizes of a pass: prompts, tokens of each, and cache positions that are read and written."""

    prompts: int
    tokens: int
    span: int


class Prefiller:
    """Writes prompts into the slots of a `DecodeState`."""

    def __init__(self, state: DecodeState, selection: Selection[Any]) -> None:
        """Create the buffers; `selection` is a backend of `backends.PREFILL`."""
        device, dim, dtype = state.pending.device, state.pending.shape[1], state.pending.dtype
        self.state = state
        span = min(SPAN, state.length)
        self.shapes = [
            *(Shape(1, size, span) for size in (16, 32, 64, 128, 256, 512)),
            *(Shape(TOGETHER, size, span) for size in (16, 32, 64, 128, 256)),
            *(Shape(1, size, state.length) for size in (32, 128, 512)),
        ]
        most = max(shape.tokens for shape in self.shapes)
        self._x = torch.zeros(TOGETHER, most, dim, dtype=dtype, device=device)
        self._positions = torch.zeros(TOGETHER, most, dtype=torch.long, device=device)
        self._slots = torch.zeros(TOGETHER, dtype=torch.long, device=device)
        self.selection = selection
        graphs = CudaGraphCache(self._run, (), MODEL_STEPS) if selection.name == "graphs" else None
        self.compiled = None if graphs is None else WithEagerFallback(self._run, graphs, selection.fail)
        self.ready: list[Shape] = []  # recorded shapes, the cheapest first

    @torch.inference_mode()
    def prefill(self, prompts: Sequence[Prompt]) -> None:
        """Write prompts like `DecodeState.prefill`. Padding is written after a prompt and overwritten before it is read."""
        waiting = [prompt for prompt in prompts if len(prompt.x)]
        while waiting:
            some, shape = self._fitting(waiting)
            if shape is None:
                self.state.prefill(*some[0])
            else:
                self._put(some, shape)
                (self.compiled or self._run)(shape)
            waiting = waiting[len(some) :]

    def _fitting(self, prompts: list[Prompt]) -> tuple[list[Prompt], Shape | None]:
        """Return as many of the first prompts as fit one pass, and its shape; without one, only the first prompt."""
        for some in (prompts[:TOGETHER], prompts[:1]):
            size, stop = max(len(each.x) for each in some), max(each.start + len(each.x) for each in some)
            for shape in self.ready:
                # Padding beyond the span goes to the last position, which no prompt reaches.
                if shape.prompts >= len(some) and shape.tokens >= size and shape.span > stop:
                    return some, shape
        return prompts[:1], None

    @torch.inference_mode()
    def warm(self) -> Iterator[Shape]:
        """Record each shape. The one cache position that this writes is restored, so an active row is unaffected."""
        for shape in self.shapes if self.compiled is not None else ():
            written = self.state.cache[:, :, 0, :, shape.span - 1]
            before = written.clone()
            self._put([Prompt(0, self._x[0, :1], shape.span - 1)], shape)
            (self.compiled or self._run)(shape)
            written.copy_(before)
            self.ready.append(shape)
            yield shape

    def _put(self, prompts: list[Prompt], shape: Shape) -> None:
        """Write the inputs of a pass; if it has room for more prompts, the first is repeated."""
        filled = [*prompts, *prompts[:1] * (shape.prompts - len(prompts))]
        for held, prompt in zip(self._x, filled, strict=False):
            held[: len(prompt.x)] = prompt.x
        places = to_device([(prompt.slot, prompt.start) for prompt in filled], self._slots.device)
        self._slots[: shape.prompts] = places[:, 0]
        positions = places[:, 1:] + torch.arange(shape.tokens, device=places.device)
        self._positions[: shape.prompts, : shape.tokens] = positions.clamp(max=shape.span - 1)

    def _run(self, shape: Shape) -> Tensor:
        count, size, span = shape
        cache, slots = self.state.cache[..., :span, :], self._slots[:count]
        return self.state.network.hidden_states(self._x[:count, :size], self._positions[:count, :size], cache, slots)
