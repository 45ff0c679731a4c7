"""Compile policy: what is compiled where, and what happens when that fails."""

import logging
from collections.abc import Callable
from typing import Any

import torch

from engines.registry import Device

log = logging.getLogger(__name__)

FRAME_BUCKET = 64  # compiled shapes round up to this many frames, so that few are compiled


class Compiled:
    """A function that runs compiled, and eagerly from the first failure on."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._eager = function
        self._fast: Callable[..., Any] | None = torch.compile(function, dynamic=True)

    @property
    def active(self) -> bool:
        return self._fast is not None

    def __call__(self, *args: Any) -> Any:
        if self._fast is not None:
            try:
                return self._fast(*args)
            except torch.OutOfMemoryError:
                raise
            except Exception as error:  # Inductor raises many kinds; each one means the same here
                log.warning("compiling failed (%s); going on without", error)
                self._fast = None
        return self._eager(*args)


def wanted(device: Device, placed: torch.device) -> bool:
    """Whether to compile: `auto` does on CUDA, where it pays from the first minute on."""
    return device.compile == "on" or (device.compile == "auto" and placed.type == "cuda")
