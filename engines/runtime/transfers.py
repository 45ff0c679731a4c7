"""Numbers on their way between host and device, waited for by nobody who does not need them."""

from typing import Any

import torch
from torch import Tensor


class Arriving:
    """A tensor on its way to the host, copied while the device works on."""

    def __init__(self, made: Tensor) -> None:
        self._host = made
        self._arrived: torch.cuda.Event | None = None
        if made.is_cuda:
            self._host = torch.empty(made.shape, dtype=made.dtype, pin_memory=True).copy_(made, non_blocking=True)
            self._arrived = torch.cuda.Event()  # type: ignore[no-untyped-call]
            self._arrived.record()

    @property
    def here(self) -> bool:
        """Whether it need not be waited for."""
        return self._arrived is None or self._arrived.query()  # type: ignore[no-untyped-call]

    def value(self) -> Tensor:
        """The tensor on the host, waited for if need be."""
        if self._arrived is not None:
            self._arrived.synchronize()
        return self._host


def sent(values: Any, device: torch.device) -> Tensor:
    """Numbers, or a host's tensor, on the device; from pageable memory the copy would wait for all work before it."""
    held = torch.as_tensor(values)
    return held.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else held.to(device)
