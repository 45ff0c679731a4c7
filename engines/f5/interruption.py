"""Leave a step early if all its requests are cancelled. Only on a CPU, where a step takes tenths of a second."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from torch import nn

from engines.f5.active_request import F5ActiveRequest


class StepInterrupted(Exception):
    """The present step was left early; it changed nothing."""


class Interruption:
    """Checks before each block of a network whether all requests of the present step are cancelled."""

    def __init__(self, blocks: Iterable[nn.Module]) -> None:
        self._stepped: Sequence[F5ActiveRequest] = ()
        for block in blocks:
            block.register_forward_pre_hook(self._check)

    @contextmanager
    def step(self, requests: Sequence[F5ActiveRequest]) -> Iterator[None]:
        """Check during the block, which is a step of these requests. The block may raise StepInterrupted."""
        self._stepped = requests
        try:
            yield
        finally:
            self._stepped = ()

    def _check(self, *_: object) -> None:
        if self._stepped and all(each.cancelled for each in self._stepped):
            raise StepInterrupted
