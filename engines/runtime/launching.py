"""Starting Triton's kernels, and compiling them beforehand in threads.

Triton compiles a kernel for a second where it is first started, and keeps it on disk. Its compiler works outside Python's lock,
so several compile at once while an engine speaks without them.
"""

import logging
import os
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

import torch
from torch import Tensor

log = logging.getLogger(__name__)

ALIGNED = 16  # bytes: what Triton compiles a kernel for tells whether an address is a multiple of it
Plans = dict[Hashable, Callable[[], object]]  # what compiles a kernel, by its arguments as far as that depends on them
_planned: ContextVar[Plans | None] = ContextVar("planned", default=None)


def launch(kernel: Any, grid: tuple[int, ...], *args: Any, **options: Any) -> None:
    """Start a kernel; while kernels are `planned`, only note how it is compiled."""
    plans = _planned.get()
    if plans is None:
        kernel[grid](*args, **options)
        return
    key = kernel, *map(_kind, args), *sorted(options.items())
    plans.setdefault(key, partial(kernel.warmup, *args, grid=grid, **options))


def _kind(argument: Any) -> Hashable:
    if isinstance(argument, Tensor):
        return argument.dtype, argument.data_ptr() % ALIGNED == 0
    return type(argument), argument


@contextmanager
def planned() -> Iterator[Plans]:
    """What is launched in this thread meanwhile is not started, but collected."""
    plans: Plans = {}
    before = _planned.set(plans)
    try:
        yield plans
    finally:
        _planned.reset(before)


class KernelCompiling(threading.Thread):
    """Compiles planned kernels with all cores but one. What fails here is compiled again, and fails, where it is started."""

    def __init__(self, plans: Mapping[Hashable, Callable[[], object]], device: torch.device) -> None:
        super().__init__(name="kernels", daemon=True)
        self._plans, self._device = list(plans.values()), device
        self._pool = ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 1), "kernels")

    def run(self) -> None:
        from triton import AsyncCompileMode  # type: ignore[import-untyped]  # it comes with CUDA's torch alone

        try:
            with torch.cuda.device(self._device), self._pool, AsyncCompileMode(self._pool, ignore_errors=True):
                while self._plans:
                    self._plans.pop()()
        except Exception:  # compilers raise many kinds of errors
            if self._plans:
                log.warning("kernels are compiled where they are first started", exc_info=True)

    def stop(self) -> None:
        """Begin no more."""
        self._plans.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)
