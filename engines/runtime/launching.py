"""Launch Triton kernels, and compile them beforehand in other processes.

Triton compiles a kernel at its first launch, which takes about a second, and caches it on disk. Much of that work is Python
and would stop other engines. Therefore launches are collected first, and `python -m engines.runtime.compiling` compiles them.
"""

import hashlib
import json
import logging
import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any

from torch import Tensor

from engines.runtime.compiler_process import CompilerProcess

log = logging.getLogger(__name__)

ALIGNED = 16  # Triton specialises a kernel by whether an address or a number is a multiple of this
# Functions that compile a kernel, by the arguments that decide its specialisation.
KernelPlans = dict[Hashable, Callable[[], object]]
# A kernel's module and name, its specialisation as Triton's `preload` takes it, and a digest of its source.
Specialisation = tuple[str, str, str, str]
_collected: ContextVar[KernelPlans | None] = ContextVar("collect_launches", default=None)


def launch(kernel: Any, grid: tuple[int, ...], *args: Any, **options: Any) -> None:
    """Launch a kernel; within `collect_launches`, only record how to compile it."""
    plans = _collected.get()
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
def collect_launches() -> Iterator[KernelPlans]:
    """Collect kernel launches of this thread instead of running them."""
    plans: KernelPlans = {}
    before = _collected.set(plans)
    try:
        yield plans
    finally:
        _collected.reset(before)


def specialisations(plan: Callable[[], object]) -> set[Specialisation]:
    """Return the specialisations that a plan would compile, without compiling them."""
    from triton import knobs  # type: ignore[import-untyped]  # only CUDA builds of torch bring triton

    found: set[Specialisation] = set()

    def note(fn: Any, compile: Mapping[str, Any], **_: object) -> bool:
        found.add((fn.module, fn.name, compile["specialization_data"], fn.jit_function.cache_key))
        return True  # Triton then skips compiling

    before, knobs.runtime.jit_cache_hook = knobs.runtime.jit_cache_hook, note
    try:
        plan()
    finally:
        knobs.runtime.jit_cache_hook = before
    return found


class KernelCompiling:
    """Processes that compile kernels. A kernel that fails is compiled again at its first launch, which raises the error."""

    def __init__(self, kernels: Sequence[Specialisation]) -> None:
        """Start the processes; skip all kernels if a mark in Triton's cache says that they are compiled."""
        from triton import knobs

        digest = hashlib.sha256(json.dumps([*_target(), kernels]).encode()).hexdigest()
        self._mark = Path(knobs.cache.dir) / f"compiled-{digest}"
        self._running = [] if self._mark.exists() else [_compiler(each) for each in _divide(kernels)]

    def is_running(self) -> bool:
        """Return True until all processes have ended."""
        codes = [each.code for each in self._running]
        if None in codes:
            return True
        if any(codes):
            log.warning(
                "compiling kernels in advance failed; they compile at their first launch: %s",
                "; ".join(each.error for each in self._running),
            )
        elif self._running:
            with suppress(OSError):  # if the folder is read-only, it has no cached kernels either
                self._mark.parent.mkdir(parents=True, exist_ok=True)
                self._mark.touch()
        self._running = []
        return False

    def stop(self) -> None:
        """Terminate the processes."""
        for each in self._running:
            each.stop()


def _target() -> tuple[str, Any, int]:
    from triton.runtime import driver  # type: ignore[import-untyped]

    target = driver.active.get_current_target()
    return target.backend, target.arch, target.warp_size


def _divide(kernels: Sequence[Specialisation]) -> list[Sequence[Specialisation]]:
    """Divide the kernels between all cores but one."""
    count = max(1, (os.cpu_count() or 1) - 1)
    return [share for first in range(count) if (share := kernels[first::count])]


def _compiler(kernels: Sequence[Specialisation]) -> CompilerProcess:
    return CompilerProcess("engines.runtime.compiling", task=json.dumps({"target": _target(), "kernels": kernels}))
