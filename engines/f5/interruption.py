"""Leave a step early if all its requests are cancelled. Only steps on a CPU are left, because they take tenths of a second."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from torch import nn

from engines.f5.active_request import F5ActiveRequest


class StepInterrupted(Exception):
    """The present step was left early; it changed nothing."""


class Interruption:
    """Checks before each block of a network whether all requests of the present step are cancelled."""

    def __init__(self, blocks: Iterable[nn.Module]) -> None:
        self._requests: Sequence[F5ActiveRequest] = ()
        for block in blocks:
            block.register_forward_pre_hook(self._check)

    @contextmanager
    def step(self, requests: Sequence[F5ActiveRequest]) -> Iterator[None]:
        """Run a step of these requests in a `with` statement. Raises StepInterrupted if all of them are cancelled."""
        self._requests = requests
        try:
            yield
        finally:
            self._requests = ()

    def _check(self, *_: object) -> None:
        if self._requests and all(each.cancelled for each in self._requests):
            raise StepInterrupted
