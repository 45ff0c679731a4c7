"""What an original engine does with its package."""

from collections.abc import Callable
from typing import Protocol

from torch import nn

from engines.types import Reference, Samples


class Cancelled(Exception):
    """The request was dropped while the package generated."""


class OriginalModel(Protocol):
    """A checkpoint that the package has loaded."""

    name: str  # of the checkpoint
    sample_rate: int  # Hz
    network: nn.Module
    defaults: dict[str, float]  # of the settings, by name

    def speak(self, text: str, reference: Reference, seed: int, settings: dict[str, float]) -> Samples:
        """Generate a whole take."""
        ...


def stop_if(network: nn.Module, is_cancelled: Callable[[], bool]) -> None:
    """Let each call of the network raise Cancelled if the request was dropped."""

    def check(*_: object) -> None:
        if is_cancelled():
            raise Cancelled

    network.register_forward_pre_hook(check)
