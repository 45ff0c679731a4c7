"""The decode step that an engine supplies, and its backends."""

from collections.abc import Callable
from typing import Protocol

from torch import Tensor

from engines.types import BackendChoice


class SingleRowKernel(Protocol):
    """A backend that generates a step of a single row."""

    def begin_compiling(self) -> None:
        """Start to compile in the background."""
        ...

    def compiles(self, wait_s: float) -> bool:
        """Wait for at most `wait_s` seconds, and return True if the compilation still runs."""
        ...

    def load(self) -> bool:
        """Load the kernel; return False if that fails."""
        ...

    def draw(self) -> Tensor:
        """Generate the (1, codes) codes of the next step of row 0."""
        ...


class BackgroundCompiler(Protocol):
    """A thread that compiles a decode step while PyTorch generates speech."""

    @property
    def draw(self) -> Callable[..., Tensor]:
        """Return the compiled step; it raises the compiler's error if compiling failed."""
        ...

    def start(self) -> None:
        """Start to compile."""
        ...

    def is_alive(self) -> bool:
        """Return True while the compiler runs."""
        ...

    def join(self, timeout: float | None = None) -> None:
        """Wait for the compiler for at most `timeout` seconds."""
        ...

    def stop(self) -> None:
        """End the compiler."""
        ...


class DecodeStep(Protocol):
    """The forward pass of a network for one step, with its backends: generates codes and updates the decode state."""

    @property
    def choices(self) -> tuple[BackendChoice, ...]:
        """Return the backends in use."""
        ...

    @property
    def graphed(self) -> Callable[[int], Tensor] | None:
        """Return a form of `draw` that never synchronises, which CUDA graphs record for each number of rows."""
        ...

    @property
    def single(self) -> SingleRowKernel | None:
        """Return the backend of a single row, if one applies."""
        ...

    def draw(self, rows: int, longest: int) -> Tensor:
        """Generate the (rows, codes) codes of slots 0..rows-1 with PyTorch. No row is past position `longest`."""
        ...

    def compiler(self, folder: str) -> BackgroundCompiler | None:
        """Return a compiler for this machine, which caches in `folder`; None if no backend needs one."""
        ...

    def fail(self, error: Exception) -> None:
        """Use PyTorch from now on, because the compiled backends raised this error."""
        ...
