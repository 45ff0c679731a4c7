"""Compile policy: what is compiled where, and what happens when that fails."""

import logging
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from engines.runtime.launching import KernelCompiling, Plans, Specialised, planned, specialised

log = logging.getLogger(__name__)

FRAME_BUCKET = 64  # recorded shapes round up to this many frames, so that few are recorded
AT_ONCE = 4  # kernels found, or loaded, before others are stepped again
POLL_S = 0.01  # of waiting for what compiles; another engine's line waits as long once a step


def warn_of_failure(error: Exception) -> None:
    """Log that a compiled function failed."""
    log.warning("a compiled function failed (%s: %s); it runs uncompiled", type(error).__name__, error)


class Compiled:
    """A function that runs compiled, or eagerly once compiling has failed."""

    def __init__(
        self,
        function: Callable[..., Any],
        fast: Callable[..., Any],
        on_failure: Callable[[Exception], None] = warn_of_failure,
    ) -> None:
        """`fast` is its compiled form; `on_failure` gets the error that ends the use of `fast`."""
        self._eager, self._on_failure = function, on_failure
        self._fast: Callable[..., Any] | None = fast
        self.failure = ""  # why it runs eagerly

    @property
    def active(self) -> bool:
        """Whether it runs compiled."""
        return self._fast is not None

    @property
    def note(self) -> str:
        """Why it runs eagerly, in a sentence; empty where it runs compiled."""
        return f"compiling failed ({self.failure}); it speaks uncompiled, and slower" if self.failure else ""

    def __call__(self, *args: Any) -> Any:
        if self._fast is not None:
            try:
                return self._fast(*args)
            except torch.OutOfMemoryError:
                raise
            except Exception as error:  # compilers raise many kinds of errors, all handled alike
                self._fast, self.failure = None, f"{type(error).__name__}: {error}"
                self._on_failure(error)
        return self._eager(*args)


class Graphs:
    """CUDA graphs of a function of one key, such as the batch's rows, recorded at each key's first call or before."""

    def __init__(self, function: Callable[[Any], Tensor], changed: Sequence[Tensor]) -> None:
        """`function` never synchronises and keeps its tensors at fixed addresses; `changed` are those it writes to."""
        self._function, self._changed = function, changed
        self._recorded: dict[Hashable, tuple[torch.cuda.CUDAGraph, Tensor]] = {}
        # A stream of their own: with it comes a workspace for products that no other function's graphs write to meanwhile.
        self._stream: torch.cuda.Stream | None = None

    def __contains__(self, key: Hashable) -> bool:
        return key in self._recorded

    def __call__(self, key: Hashable, *_: object) -> Tensor:
        """The function's result, which the next call may overwrite. Further arguments are ignored."""
        self.record(key)
        graph, result = self._recorded[key]
        graph.replay()
        return result

    def record(self, key: Hashable) -> None:
        """Make the key's graph, unless there is one."""
        if key not in self._recorded:
            self._recorded[key] = self._record(key)

    def kernels(self, key: Hashable) -> Plans:
        """What the function starts, to be compiled beforehand."""
        with planned() as plans, self._unchanged():
            self._function(key)
        return plans

    @contextmanager
    def _unchanged(self) -> Iterator[None]:
        before = [tensor.clone() for tensor in self._changed]
        try:
            yield
        finally:
            for tensor, held in zip(self._changed, before, strict=True):
                tensor.copy_(held)

    def _record(self, key: Hashable) -> tuple[torch.cuda.CUDAGraph, Tensor]:
        with self._unchanged():
            self._function(key)  # compiles every kernel, which nothing may do while a graph is recorded
        self._stream = self._stream or torch.cuda.Stream()  # type: ignore[no-untyped-call]
        graph = torch.cuda.CUDAGraph()
        others = [
            recorded.pool() for recorded, _ in self._recorded.values()
        ]  # graphs run one at a time, so they share one memory pool
        pool = others[0] if others else None
        with torch.cuda.graph(graph, pool=pool, stream=self._stream, capture_error_mode="thread_local"):
            result = self._function(key)
        return graph, result


def compile_kernels(plans: Plans, busy: Callable[[], bool]) -> Iterator[None]:
    """Have kernels compiled, until all are; waits a little each time unless `busy`."""
    found: set[Specialised] = set()
    for some in _few(plans):
        for plan in some:
            found |= specialised(plan)
        yield
    compiling = KernelCompiling(sorted(found))
    try:
        while compiling.going_on():
            time.sleep(0 if busy() else POLL_S)
            yield
    finally:
        compiling.stop()


def load_kernels(plans: Plans) -> Iterator[None]:
    """Those that were compiled, from disk, so that whoever starts them first need not wait for it."""
    for some in _few(plans):
        for plan in some:
            plan()
        yield


def _few(plans: Plans) -> Iterator[Sequence[Callable[[], object]]]:
    each = list(plans.values())
    return (each[start : start + AT_ONCE] for start in range(0, len(each), AT_ONCE))
