"""Compile the CPU kernels in another process and cache them on disk.

Compiling takes about 15 s, during which numba holds Python's lock. Therefore another process does it:
`python -m engines.s1.cpu_compiling FOLDER float32|int8`, which does not import torch.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor

    from engines.s1.decode_state import DecodeState

ROOT = Path(__file__).parents[2]
NICENESS = 10  # speech has priority
ERROR_MAX = 300  # characters of an error message
Draw = Callable[..., "Tensor"]


class CpuCompiling(Thread):
    """A thread that provides `draw`, the function of a `CpuDecoder`; if compiling fails, `draw` raises the error."""

    def __init__(self, state: "DecodeState", folder: str) -> None:
        """Create the thread. The cache is in NUMBA_CACHE_DIR, else in `folder`, else at numba's default."""
        super().__init__(name="s1-compiling", daemon=True)
        self.draw: Draw = self._failed
        self._state, self._folder = state, folder
        self._error: Exception = RuntimeError("compiling was stopped")
        self._process: subprocess.Popen[str] | None = None

    def run(self) -> None:
        try:
            from engines.s1.cpu_decoder import CpuDecoder  # this import takes a second

            decoder = CpuDecoder(self._state)
            decoder.compiled = self._compiled(decoder.dtype)
            self.draw = decoder.draw
        except Exception as error:  # numba and LLVM raise many kinds of errors, and all are handled alike
            self._error = error

    def stop(self) -> None:
        """Terminate the compiler process, if there is one."""
        if self._process is not None:
            self._process.terminate()

    def _failed(self, *_: object) -> "Tensor":
        raise self._error

    def _compiled(self, dtype: str) -> Callable[..., None]:
        draw, signature = _kept_function(self._folder), _signature(dtype)
        if draw._cache.load_overload(signature, draw.targetctx) is None:
            self._compile_in_process(dtype)
        draw.compile(signature)
        draw.disable_compile()  # other types then raise an error, instead of being compiled during speech
        made: Callable[..., None] = draw
        return made

    def _compile_in_process(self, dtype: str) -> None:
        """Let another process compile the function into the cache. Raises RuntimeError."""
        command = [sys.executable, "-m", __name__, self._folder, dtype]
        with subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as self._process:
            said = "" if self._process.stderr is None else self._process.stderr.read().strip()
        if self._process.returncode:
            reason = said.rpartition("\n")[2][:ERROR_MAX]
            raise RuntimeError(reason or f"the compiler process ended with code {self._process.returncode}")


def _kept_function(folder: str) -> Any:
    """Return the function with numba's cache, whose key is the source, the types and the processor."""
    from engines.s1 import cpu_kernels

    numba: Any = import_module("numba")
    usual = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = usual or folder  # read when the function is wrapped
    try:
        return numba.njit(cache=True, **cpu_kernels.OPTIONS)(cpu_kernels.draw)
    finally:
        numba.config.CACHE_DIR = usual


def _signature(dtype: str) -> tuple[Any, ...]:
    """Return the argument types of `draw`, with matrices of this dtype."""
    from engines.s1 import cpu_kernels as kernels

    def array(dimensions: int, kind: str = "float32") -> Any:
        return np.empty((1,) * dimensions, kind)

    matrices = kernels.Matrices(array(3, dtype), array(2))
    layers = kernels.LayerWeights(
        array(2), matrices, array(2), array(2), matrices, array(2), matrices, matrices, matrices, array(3), array(1),
        matrices, 1e-5, 1,
    )  # fmt: skip
    embeddings = kernels.Embeddings(array(2), array(2), array(2), matrices, array(1), 1, 1.0)
    whole = "int64"
    state = kernels.StateArrays(
        array(2), array(1, whole), array(1, whole), array(1, whole), array(3, whole), array(3), array(6), array(6)
    )
    typeof: Any = import_module("numba").typeof
    return tuple(typeof(each) for each in (state, layers, layers, embeddings, array(2, whole)))


def _end_with_parent() -> None:
    sys.stdin.read()  # until the parent closes its end
    os._exit(1)


def main() -> None:
    folder, dtype = sys.argv[1:]
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    Thread(target=_end_with_parent, daemon=True).start()
    _kept_function(folder).compile(_signature(dtype))


if __name__ == "__main__":
    main()
