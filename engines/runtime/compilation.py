"""Compiled kernels and CUDA graphs, and the fallback if compiling fails."""

import logging
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from engines.runtime.launching import KernelCompiling, KernelPlans, Specialisation, collect_launches, specialisations

log = logging.getLogger(__name__)

FRAME_BUCKET = 64  # recorded shapes are rounded up to a multiple of this many frames, so that few graphs are recorded
AT_ONCE = 4  # kernels found or loaded between two steps of other engines
POLL_S = 0.01  # pause between polls of the compiler; the scheduler's other engines wait this long once a step


def warn_of_failure(error: Exception) -> None:
    """Log that a compiled function failed."""
    log.warning("a compiled function failed (%s: %s); continuing uncompiled", type(error).__name__, error)


class WithEagerFallback:
    """A function that calls its compiled form until that raises, and its eager form from then on."""

    def __init__(
        self,
        function: Callable[..., Any],
        fast: Callable[..., Any],
        on_failure: Callable[[Exception], None] = warn_of_failure,
    ) -> None:
        """Wrap `function`; `fast` is its compiled form, and `on_failure` gets the error that ends its use."""
        self._eager, self._on_failure = function, on_failure
        self._fast: Callable[..., Any] | None = fast
        self.failure = ""  # why the eager form is used

    @property
    def active(self) -> bool:
        """Return True while the compiled form is used."""
        return self._fast is not None

    @property
    def note(self) -> str:
        """Return a sentence that says why the eager form is used; empty if the compiled form is used."""
        return f"compiling failed ({self.failure}); the engine runs uncompiled and slower" if self.failure else ""

    def __call__(self, *args: Any) -> Any:
        if self._fast is not None:
            try:
                return self._fast(*args)
            except torch.OutOfMemoryError:
                raise
            except Exception as error:  # compilers raise many kinds of errors, and all are handled alike
                self._fast, self.failure = None, f"{type(error).__name__}: {error}"
                self._on_failure(error)
        return self._eager(*args)


class CudaGraphCache:
    """CUDA graphs of a function of one key, such as the number of rows; each key is recorded once."""

    def __init__(self, function: Callable[[Any], Tensor], changed: Sequence[Tensor], priority: int = 0) -> None:
        """Wrap `function`, which must not synchronise and must keep its tensors in place; `changed` are those it writes.

        The graphs have this priority on every stream; see `engines.runtime.priorities`.
        """
        self._function, self._changed, self._priority = function, changed, priority
        self._recorded: dict[Hashable, tuple[torch.cuda.CUDAGraph, Tensor]] = {}
        # One stream per function: its workspace for matrix products is then not shared with the graphs of other functions.
        self._stream: torch.cuda.Stream | None = None

    def __contains__(self, key: Hashable) -> bool:
        return key in self._recorded

    def __call__(self, key: Hashable, *_: object) -> Tensor:
        """Replay the graph of `key` and return its result, which the next call overwrites. Other arguments are ignored."""
        self.record(key)
        graph, result = self._recorded[key]
        graph.replay()
        return result

    def record(self, key: Hashable) -> None:
        """Record the graph of `key` if it is missing."""
        if key not in self._recorded:
            self._recorded[key] = self._record(key)

    def kernels(self, key: Hashable) -> KernelPlans:
        """Return the kernels that the function launches, so that they can be compiled beforehand."""
        with collect_launches() as plans, self._unchanged():
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
            self._function(key)  # compiles every kernel; no kernel may be compiled during recording
        self._stream = self._stream or torch.cuda.Stream(priority=self._priority)  # type: ignore[no-untyped-call]
        graph = torch.cuda.CUDAGraph()
        others = [
            recorded.pool() for recorded, _ in self._recorded.values()
        ]  # graphs run one at a time, so they share one memory pool
        pool = others[0] if others else None
        with torch.cuda.graph(graph, pool=pool, stream=self._stream, capture_error_mode="thread_local"):
            result = self._function(key)
        return graph, result


def prepare_kernels(plans: KernelPlans, busy: Callable[[], bool]) -> Iterator[None]:
    """Compile kernels in other processes, then load them; the scheduler steps other work between two items."""
    yield from compile_kernels(plans, busy)
    yield from load_kernels(plans)


def compile_kernels(plans: KernelPlans, busy: Callable[[], bool]) -> Iterator[None]:
    """Compile kernels in other processes; each yield lets the scheduler step, and waits a little unless `busy`."""
    found: set[Specialisation] = set()
    for some in _few(plans):
        for plan in some:
            found |= specialisations(plan)
        yield
    compiling = KernelCompiling(sorted(found))
    try:
        while compiling.is_running():
            time.sleep(0 if busy() else POLL_S)
            yield
    finally:
        compiling.stop()


def load_kernels(plans: KernelPlans) -> Iterator[None]:
    """Load compiled kernels from disk, so that their first launch needs no wait."""
    for some in _few(plans):
        for plan in some:
            plan()
        yield


def _few(plans: KernelPlans) -> Iterator[Sequence[Callable[[], object]]]:
    each = list(plans.values())
    return (each[start : start + AT_ONCE] for start in range(0, len(each), AT_ONCE))
