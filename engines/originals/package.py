"""What an original engine does with its package."""

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Protocol

from torch import nn

from engines.errors import NotReady
from engines.types import Reference, Samples


class Dropped(Exception):
    """The request was dropped while the package generated."""


class OriginalModel(Protocol):
    """A checkpoint that the package has loaded."""

    name: str  # of the checkpoint
    sample_rate: int  # Hz
    network: nn.Module
    defaults: Mapping[str, float]  # of the settings, by name
    characters: frozenset[str]  # that it can speak; empty = any

    def speak(self, text: str, reference: Reference, seed: int, settings: Mapping[str, float]) -> Samples:
        """Generate a whole take."""
        ...


def require(*packages: str) -> None:
    """Raise NotReady if one of the packages is not installed."""
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise NotReady(
            f"these packages are not installed: {', '.join(missing)}; run `make original-engines`, then start the studio again"
        )


def stop_if(network: nn.Module, is_cancelled: Callable[[], bool]) -> None:
    """Let each call of the network raise Dropped if the request was dropped."""

    def check(*_: object) -> None:
        if is_cancelled():
            raise Dropped

    network.register_forward_pre_hook(check)
