"""Decode steps of many rows at once. Rows join and leave between steps without affecting each other."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from engines.codec_lm.backends import PREFILL
from engines.codec_lm.decode_state import DecodeState
from engines.codec_lm.prefill import Prefiller
from engines.codec_lm.stepping import BackgroundCompiler, DecodeStep, SingleRowKernel
from engines.runtime.backends import Conditions, Hardware, Selection
from engines.runtime.compilation import CudaGraphCache, WithEagerFallback
from engines.runtime.launching import KernelPlans
from engines.runtime.priorities import MODEL_STEPS
from engines.runtime.transfers import AsyncHostCopy
from engines.types import BackendChoice


class Decoder:
    """Runs the steps of a DecodeState, with PyTorch or compiled kernels."""

    def __init__(self, step: DecodeStep, state: DecodeState, compile: bool = False) -> None:
        """Create a decoder of `state` by `step`; `compile` allows CUDA graphs, of which each number of rows has one."""
        self.state, self._step = state, step
        conditions = Conditions(hardware=Hardware.of(state.pending.device), compile=compile)
        self.prefiller = Prefiller(state, Selection(PREFILL, conditions))
        self._graphed = step.graphed
        self._graphs = (
            None if self._graphed is None else CudaGraphCache(self._draw_graphed, state.changing, MODEL_STEPS)
        )
        self.compiled = None if self._graphs is None else WithEagerFallback(step.draw, self._graphs, step.fail)
        self._alone: SingleRowKernel | None = None  # the kernel for a single row, once it is loaded

    @property
    def choices(self) -> tuple[BackendChoice, ...]:
        """Return the backends in use."""
        return *self._step.choices, self.prefiller.selection.choice

    @property
    def single(self) -> SingleRowKernel | None:
        """Return the kernel for a single row, if one applies."""
        return self._step.single

    def compiler(self, folder: str) -> BackgroundCompiler | None:
        """Return a compiler for this machine, which caches in `folder`; None if no backend needs one."""
        return self._step.compiler(folder)

    def set_backend(self, draw: Callable[..., Tensor]) -> None:
        """Use `draw` as the decode backend; fall back to PyTorch if it raises."""
        self.compiled = WithEagerFallback(self._step.draw, draw, self._step.fail)

    def draw(self, rows: int, longest: int) -> Tensor:
        """Generate codes with PyTorch, as `DecodeStep.draw` does."""
        return self._step.draw(rows, longest)

    def _draw_graphed(self, rows: int) -> Tensor:
        if rows == 1 and self._alone is not None:
            return self._alone.draw()
        if self._graphed is None:
            raise RuntimeError("the decode step has no form for CUDA graphs")
        return self._graphed(rows)

    def step(self, rows: int, longest: int) -> AsyncHostCopy:
        """Generate codes, compiled if this many rows were warmed, and start to copy them to the host."""
        ready = self.compiled is not None and (self._graphs is None or rows in self._graphs)
        draw = self.compiled if self.compiled is not None and ready else self._step.draw
        return AsyncHostCopy(draw(rows, longest))

    @torch.inference_mode()
    def kernels(self) -> Iterator[KernelPlans]:
        """Yield the kernels that decode steps launch, so that they can be compiled before warm-up."""
        if self._graphs is not None:
            for power in range(self._alone is not None, (self.state.rows - 1).bit_length() + 1):
                yield self._graphs.kernels(min(1 << power, self.state.rows))

    @torch.inference_mode()
    def warm(self, rows: int) -> None:
        """Prepare steps of this many rows, without changing active rows."""
        single = self._step.single if rows == 1 else None
        if single is not None and single.load():
            self._alone = single
        changing = self.state.changing
        before = [tensor.clone() for tensor in changing]
        if self._graphs is not None and self.compiled is not None:
            self.compiled(rows, self.state.length - 1)
        self.step(rows, self.state.length - 1).value()
        for tensor, held in zip(changing, before, strict=True):
            tensor.copy_(held)
