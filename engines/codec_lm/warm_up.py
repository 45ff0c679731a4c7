"""Warm-up: compile kernels and run each shape once, so that the first request needs no preparation."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

import torch

from engines.codec_lm.runtime import Runtime
from engines.codec_lm.stepping import BackgroundCompiler
from engines.runtime.compilation import POLL_S, prepare_kernels
from engines.runtime.launching import KernelPlans
from engines.types import Progress

WARMED_AT = 0.95  # progress of a warm-up that waits only for kernels that compile in the background


class WarmUp:
    """The warm-up of a runtime. Other engines speak between two items."""

    def __init__(self, runtime: Runtime, kernel_folder: str) -> None:
        """Create the warm-up; kernels for a CPU are cached in `kernel_folder`."""
        self._runtime, self._kernel_folder = runtime, kernel_folder
        self._decoder, self._streams = runtime.decoder, runtime.batch.audio_queue.streams

    @torch.inference_mode()
    def run(self) -> Iterator[Progress]:
        """Warm each prompt shape, number of rows and packet size, and compile the CPU kernels."""
        yield from self._warm_alone()
        yield from self._compile_kernels()
        prefiller, streams = self._decoder.prefiller, self._streams
        count = len(prefiller.shapes) * (prefiller.compiled is not None) + self._row_counts + len(streams.buckets)
        # A single row and a single stream first.
        steps = _in_turns(self._warm_rows(), prefiller.warm(), streams.warm())
        with self._compiling() as compiling:
            for number, _ in enumerate(steps, start=1):
                yield Progress(WARMED_AT * number / count, f"warming up, {number} of {count}")
            if compiling is not None:
                yield from self._use(compiling)
        if self._decoder.compiled is not None and not self._runtime.references.in_background:
            for _ in self._runtime.model.encoder.warm():
                yield Progress(WARMED_AT, "warming up the reference encoder")
        self._decoder.state.finish_warmup()

    def _use(self, compiling: BackgroundCompiler) -> Iterator[Progress]:
        """Wait for the kernels of this processor, and warm them."""
        while compiling.is_alive():
            compiling.join(0 if self._busy() else POLL_S)
            yield Progress(WARMED_AT, "compiling the kernels of this processor in the background")
        self._decoder.set_backend(compiling.draw)
        for _ in self._warm_rows():
            yield Progress(WARMED_AT, "warming up compiled kernels")

    def _warm_alone(self) -> Iterator[Progress]:
        """Compile and warm the single-row kernel first, if this GPU supports it."""
        single = self._decoder.single
        if single is None:
            return
        single.begin_compiling()
        while single.compiles(wait_s=0 if self._busy() else POLL_S):
            yield Progress(0.0, "compiling the kernel of a whole frame")
        if single.load():
            next(self._warm_rows())
            yield Progress(0.0, "warming up one row")

    def _compile_kernels(self) -> Iterator[Progress]:
        plans: KernelPlans = {}
        for part in chain(self._decoder.kernels(), self._streams.kernels()):
            plans |= part
            yield Progress(0.0, f"found {len(plans)} kernels")
        if plans:
            for _ in prepare_kernels(plans, self._busy):
                yield Progress(0.0, f"compiling {len(plans)} kernels")

    def _busy(self) -> bool:
        return bool(self._runtime.batch.requests)

    @contextmanager
    def _compiling(self) -> Iterator[BackgroundCompiler | None]:
        """Compile the CPU kernels while PyTorch generates speech; yield None if there is nothing to compile."""
        compiler = self._decoder.compiler(self._kernel_folder)
        if compiler is None:
            yield None
            return
        compiler.start()
        try:
            yield compiler
        finally:
            compiler.stop()

    @property
    def _row_counts(self) -> int:
        """Return how many batch sizes to warm up."""
        on_cpu = self._runtime.placement.device.type == "cpu"
        return self._runtime.rows if self._decoder.compiled is not None or on_cpu else 1

    def _warm_rows(self) -> Iterator[None]:
        state, rows = self._decoder.state, self._runtime.batch.rows
        for count in range(1, self._row_counts + 1):
            if not len(rows):
                state.prefill(count - 1, torch.zeros(8, state.pending.shape[1]).to(state.pending), 0)
            self._decoder.warm(count)
            yield


def _in_turns(*each: Iterator[object]) -> Iterator[object]:
    """Yield one item of each iterator in turn, until all have ended."""
    waiting = deque(each)
    while waiting:
        items = waiting.popleft()
        try:
            yield next(items)
        except StopIteration:
            continue
        waiting.append(items)
