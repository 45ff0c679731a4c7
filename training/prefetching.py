"""Build batches in a thread and move them to the device, while earlier batches are used for training."""

import queue
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any, TypeVar

import torch
from torch import Tensor

Batch = TypeVar("Batch")  # a dataclass of tensors
TURN_S = 5e-4  # the interpreter's switch interval; with the default of 5 ms, building batches delays kernel launches


def prefetch(batches: Iterator[Batch], device: torch.device, depth: int = 8) -> Iterator[Batch]:
    """Yield the batches on the device; up to `depth` batches are prepared in advance."""
    ready: queue.Queue[Batch | Exception] = queue.Queue(depth)

    def fill() -> None:
        try:
            for batch in batches:
                ready.put(_each(batch, Tensor.pin_memory) if device.type == "cuda" else batch)
        except Exception as error:  # passed to the trainer, which would otherwise wait without end
            ready.put(error)

    sys.setswitchinterval(TURN_S)
    threading.Thread(target=fill, daemon=True).start()
    while True:
        batch = ready.get()
        if isinstance(batch, Exception):
            raise batch
        yield to_device(batch, device)


def to_device(batch: Batch, device: torch.device) -> Batch:
    return _each(batch, lambda part: part.to(device, non_blocking=True))


def _each(batch: Batch, change: Callable[[Tensor], Tensor]) -> Batch:
    shown: Any = batch
    return type(batch)(*(change(getattr(shown, field.name)) for field in fields(shown)))
