"""Copy tensors between host and device without waiting."""

from typing import Any

import torch
from torch import Tensor


class AsyncHostCopy:
    """A copy of a tensor to the host that runs while the device continues."""

    def __init__(self, made: Tensor) -> None:
        self._host = made
        self._arrived: torch.cuda.Event | None = None
        if made.is_cuda:
            self._host = torch.empty(made.shape, dtype=made.dtype, pin_memory=True).copy_(made, non_blocking=True)
            self._arrived = torch.cuda.Event()  # type: ignore[no-untyped-call]
            self._arrived.record()

    @property
    def ready(self) -> bool:
        """Return True if the copy has ended."""
        return self._arrived is None or self._arrived.query()  # type: ignore[no-untyped-call]

    def value(self) -> Tensor:
        """Wait for the end of the copy, and return the tensor on the host."""
        if self._arrived is not None:
            self._arrived.synchronize()
        return self._host


def to_device(values: Any, device: torch.device) -> Tensor:
    """Copy numbers or a host tensor to the device through pinned memory; a pageable copy would wait for earlier work."""
    held = torch.as_tensor(values)
    return held.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else held.to(device)
