"""Compile a decode step for this CPU in another process and cache it on disk.

Compiling takes about 15 s, during which numba holds Python's lock. Therefore another process does it:
`python -m engines.codec_lm.cpu_compiling MODULE FOLDER float32|int8`, which does not import torch. MODULE has the functions
`draw`, the step, and `signature`, the types of its arguments for matrices of a dtype.
"""

import hashlib
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Protocol

from engines.runtime.compiler_process import CompilerProcess, leave_time_for_speech

if TYPE_CHECKING:
    from torch import Tensor

SHARED = Path(__file__).with_name("cpu_kernels.py")
Draw = Callable[..., "Tensor"]


class CpuStep(Protocol):
    """A decode step whose compiled function is set later."""

    compiled: Callable[..., None] | None

    @property
    def dtype(self) -> str:
        """Return the dtype of the matrices: float32 or int8."""
        ...

    def draw(self, rows: int, *_: object) -> "Tensor":
        """Generate the codes of the rows."""
        ...


class CpuCompiling(Thread):
    """A thread that provides `draw`, the function of a `CpuStep`; if compiling fails, `draw` raises the error."""

    def __init__(self, module: str, make: Callable[[], CpuStep], folder: str) -> None:
        """Create the thread; `make` builds the step, which takes a second.

        The cache is in NUMBA_CACHE_DIR, else in `folder`, else at numba's default.
        """
        super().__init__(name="cpu-compiling", daemon=True)
        self.draw: Draw = self._failed
        self._module, self._make, self._folder = module, make, folder
        self._error: Exception = RuntimeError("compiling was stopped")
        self._child: CompilerProcess | None = None

    def run(self) -> None:
        try:
            step = self._make()
            step.compiled = self._compiled(step.dtype)
            self.draw = step.draw
        except Exception as error:  # numba and LLVM raise many kinds of errors, and all are handled alike
            self._error = error

    def stop(self) -> None:
        """Terminate the compiler process, if there is one."""
        if self._child is not None:
            self._child.stop()

    def _failed(self, *_: object) -> "Tensor":
        raise self._error

    def _compiled(self, dtype: str) -> Callable[..., None]:
        draw, signature = kept_function(self._module, self._folder), _signature(self._module, dtype)
        if draw._cache.load_overload(signature, draw.targetctx) is None:
            self._child = CompilerProcess(__name__, self._module, self._folder, dtype)
            self._child.wait()
        draw.compile(signature)
        draw.disable_compile()  # other types then raise an error, instead of being compiled during speech
        made: Callable[..., None] = draw
        return made


def kept_function(module: str, folder: str) -> Any:
    """Return the function with numba's cache, whose key is the source, the types and the processor."""
    from engines.codec_lm import cpu_kernels

    numba: Any = import_module("numba")
    usual = numba.config.CACHE_DIR
    if kept := usual or folder:
        # numba notices changes of the module's file only, so the shared kernels have a folder for each of their versions.
        version = hashlib.sha256(SHARED.read_bytes()).hexdigest()[:16]
        numba.config.CACHE_DIR = str(Path(kept) / version)  # read when the function is wrapped
    try:
        return numba.njit(cache=True, **cpu_kernels.OPTIONS)(import_module(module).draw)
    finally:
        numba.config.CACHE_DIR = usual


def _signature(module: str, dtype: str) -> tuple[Any, ...]:
    """Return the argument types of the step, with matrices of this dtype."""
    typeof: Any = import_module("numba").typeof
    return tuple(map(typeof, import_module(module).signature(dtype)))


def main() -> None:
    module, folder, dtype = sys.argv[1:]
    leave_time_for_speech()
    kept_function(module, folder).compile(_signature(module, dtype))


if __name__ == "__main__":
    main()
