"""Compile policy: what is compiled where, and what happens when that fails."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from engines.registry import Device

log = logging.getLogger(__name__)

FRAME_BUCKET = 64  # compiled shapes round up to this many frames, so that few are compiled


class Compiled:
    """A function that runs compiled, and eagerly from the first failure on."""

    def __init__(self, function: Callable[..., Any], fast: Callable[..., Any] | None = None) -> None:
        """`fast` is its compiled form; by default torch.compile's, for any shape."""
        self._eager = function
        self._fast: Callable[..., Any] | None = fast or torch.compile(function, dynamic=True)
        self.failure = ""  # why it runs eagerly

    @property
    def active(self) -> bool:
        return self._fast is not None

    @property
    def note(self) -> str:
        """What a designer should know of it."""
        return f"compiling failed ({self.failure}); it speaks uncompiled, and slower" if self.failure else ""

    def __call__(self, *args: Any) -> Any:
        if self._fast is not None:
            try:
                return self._fast(*args)
            except torch.OutOfMemoryError:
                raise
            except Exception as error:  # compilers raise many kinds; each one means the same here
                log.warning("compiling failed (%s); going on without", error)
                self._fast, self.failure = None, f"{type(error).__name__}: {error}"
        return self._eager(*args)


class Graphs:
    """CUDA graphs of one function of a number (the batch's width, say), recorded as each number first comes up."""

    def __init__(self, function: Callable[[int], Tensor], changed: Sequence[Tensor]) -> None:
        """`function` waits for nothing on the device and keeps what it needs at fixed places; `changed` is what it moves on."""
        self._function, self._changed = function, changed
        self._recorded: dict[int, tuple[torch.cuda.CUDAGraph, Tensor]] = {}

    def __call__(self, number: int, *_: object) -> Tensor:
        """The function's result, which the next call may overwrite."""
        if number not in self._recorded:
            self._recorded[number] = self._record(number)
        graph, result = self._recorded[number]
        graph.replay()
        return result

    def _record(self, number: int) -> tuple[torch.cuda.CUDAGraph, Tensor]:
        before = [tensor.clone() for tensor in self._changed]
        try:
            self._function(number)  # compiles every kernel, which nothing may do while a graph is recorded
        finally:
            for tensor, held in zip(self._changed, before, strict=True):
                tensor.copy_(held)
        graph = torch.cuda.CUDAGraph()
        others = [recorded.pool() for recorded, _ in self._recorded.values()]  # they run in turn: one memory is enough
        with torch.cuda.graph(graph, pool=others[0] if others else None, capture_error_mode="thread_local"):
            result = self._function(number)
        return graph, result


def wanted(device: Device, placed: torch.device) -> bool:
    """Whether to compile: `auto` does on CUDA, where it pays from the first minute on."""
    return device.compile == "on" or (device.compile == "auto" and placed.type == "cuda")
