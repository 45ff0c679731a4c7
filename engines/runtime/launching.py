"""Starting Triton's kernels, and compiling them beforehand in other processes.

Triton compiles a kernel for a second where it is first started, and keeps it on disk. Much of that is Python, which would stop
whoever speaks meanwhile: what will be started is planned, and `python -m engines.runtime.compiling` compiles it beside them.
"""

import hashlib
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any

from torch import Tensor

log = logging.getLogger(__name__)

ROOT = Path(__file__).parents[2]
ALIGNED = 16  # what Triton compiles a kernel for tells whether an address, or a number, is a multiple of it
TOLD_MAX = 300  # characters of what went wrong
Plans = dict[Hashable, Callable[[], object]]  # what compiles a kernel, by its arguments as far as that depends on them
# A kernel's module and name, what it is specialised for as Triton's own `preload` takes it, and a digest of its source.
Specialised = tuple[str, str, str, str]
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


def specialised(plan: Callable[[], object]) -> set[Specialised]:
    """What a plan compiles, without compiling it."""
    from triton import knobs  # type: ignore[import-untyped]  # it comes with CUDA's torch alone

    found: set[Specialised] = set()

    def note(fn: Any, compile: Mapping[str, Any], **_: object) -> bool:
        found.add((fn.module, fn.name, compile["specialization_data"], fn.jit_function.cache_key))
        return True  # it is not compiled here

    before, knobs.runtime.jit_cache_hook = knobs.runtime.jit_cache_hook, note
    try:
        plan()
    finally:
        knobs.runtime.jit_cache_hook = before
    return found


class KernelCompiling:
    """Planned kernels, compiled by processes of their own. What fails there fails again, and is told, where it is started."""

    def __init__(self, kernels: Sequence[Specialised]) -> None:
        """Those that this folder of Triton's holds all of already are not compiled again."""
        from triton import knobs

        digest = hashlib.sha256(json.dumps([*_target(), kernels]).encode()).hexdigest()
        self._mark = Path(knobs.cache.dir) / f"compiled-{digest}"
        self._running = [] if self._mark.exists() else [_compiler(each) for each in _shared_out(kernels)]

    def going_on(self) -> bool:
        """Whether it is not done yet."""
        codes = [each.poll() for each in self._running]
        if None in codes:
            return True
        if any(codes):
            log.warning("kernels are compiled where they are first started: %s", "; ".join(map(_said, self._running)))
        elif self._running:
            with suppress(OSError):  # a folder that cannot be written to holds no kernels either
                self._mark.parent.mkdir(parents=True, exist_ok=True)
                self._mark.touch()
        self._running = []
        return False

    def stop(self) -> None:
        """End the processes."""
        for each in self._running:
            each.terminate()


def _target() -> tuple[str, Any, int]:
    from triton.runtime import driver  # type: ignore[import-untyped]

    target = driver.active.get_current_target()
    return target.backend, target.arch, target.warp_size


def _shared_out(kernels: Sequence[Specialised]) -> list[Sequence[Specialised]]:
    """One share for each core but one."""
    count = max(1, (os.cpu_count() or 1) - 1)
    return [share for first in range(count) if (share := kernels[first::count])]


def _compiler(kernels: Sequence[Specialised]) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "engines.runtime.compiling"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe, text=True)
    if process.stdin is not None:
        with suppress(BrokenPipeError):  # its end tells why
            process.stdin.write(json.dumps({"target": _target(), "kernels": kernels}) + "\n")
            process.stdin.flush()
    return process


def _said(process: "subprocess.Popen[str]") -> str:
    said = "" if process.stderr is None else process.stderr.read().strip()
    return said.rpartition("\n")[2][:TOLD_MAX] or f"a compiler ended with {process.returncode}"
