"""Store a network's parameters in one buffer, so that one copy activates other weights without compiling again."""

import hashlib
import math
from collections.abc import Collection, Sequence
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from engines.errors import BadCheckpoint, OutOfMemory
from engines.runtime.weights import misfit, shapes
from engines.types import Weights

ALIGNED = 128  # elements; parameters and groups start at multiples of this, so that kernels can read wide words


class FlatParameters:
    """The position of each parameter in one buffer `data`, (n,) of the network's dtype on its device."""

    def __init__(
        self,
        network: nn.Module,
        device: torch.device,
        dtype: torch.dtype,
        side_by_side: Sequence[Sequence[str]] = (),
        last_first: Collection[str] = (),
    ) -> None:
        """Move the network's parameters into the buffer; from then on they are views of it.

        Parameters that are listed together in `side_by_side` are adjacent. Parameters in `last_first` have their last axis
        outermost in memory.
        """
        self._shapes, self._last_first = shapes(network), last_first
        self._starts: dict[str, int] = {}
        groups = {names[0]: names for names in side_by_side}
        end = 0
        for first in self._shapes:
            for name in groups.get(first, () if first in self._starts else (first,)):
                self._starts[name] = end
                end += math.prod(self._shapes[name])
            end = -(-end // ALIGNED) * ALIGNED
        self.data = torch.zeros(end, dtype=dtype, device=device)
        views = self._views(self.data)
        for name, parameter in network.named_parameters():
            views[name].copy_(parameter.detach())
        network.load_state_dict(views, strict=False, assign=True)
        network.requires_grad_(False)

    def joined(self, names: Sequence[str]) -> Tensor:
        """Return adjacent parameters as one view, joined along their first axis."""
        rows, rest = sum(self._shapes[name][0] for name in names), self._shapes[names[0]][1:]
        start = self._starts[names[0]]
        return self.data[start : start + rows * math.prod(rest)].view(rows, *rest)

    def read(self, weights: Weights) -> Tensor:
        """Read the file's tensors to the host, in the layout of `data`. Any thread may call this method.

        Raises BadCheckpoint, and OutOfMemory if the host has too little memory.
        """
        path = Path(weights.path)
        try:
            self._check(path, weights)
            return self._filled(path)
        except (OSError, SafetensorError) as error:
            raise BadCheckpoint(f"the weights of {weights.name} could not be read; attach the file again") from error
        except (MemoryError, RuntimeError) as error:  # torch's allocators raise RuntimeError
            raise OutOfMemory(
                f"too little memory for the weights of {weights.name}; unload an engine, or try again later"
            ) from error

    def _check(self, path: Path, weights: Weights) -> None:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != weights.sha256:
            raise BadCheckpoint(
                f"the file with the weights of {weights.name} changed after the check; attach the file again"
            )
        # Read, not mapped: if a mapped file becomes shorter, the process crashes.
        with safe_open(path, framework="pt", backend="pread") as held:
            found = {name: tuple(held.get_slice(name).get_shape()) for name in held.keys()}  # noqa: SIM118
        if wrong := misfit(found, self._shapes):
            raise BadCheckpoint(
                f"the weights of {weights.name} do not fit the architecture of this studio's F5-TTS: {wrong}; "
                "set STUDIO_F5_CHECKPOINT to the checkpoint they were tuned from"
            )

    def _filled(self, path: Path) -> Tensor:
        flat = self._host_buffer()
        views = self._views(flat)
        with safe_open(path, framework="pt", backend="pread") as held:
            for name, view in views.items():
                view.copy_(held.get_tensor(name))
        return flat

    def _host_buffer(self) -> Tensor:
        """Allocate page-locked memory if a GPU copies from it, which is several times as fast, else plain memory."""
        size, dtype = self.data.shape, self.data.dtype
        if self.data.device.type == "cuda":
            try:
                return torch.empty(size, dtype=dtype, pin_memory=True)
            except RuntimeError:  # the system cannot lock more pages
                return torch.empty(size, dtype=dtype)
        return torch.empty(size, dtype=dtype)

    def _views(self, flat: Tensor) -> dict[str, Tensor]:
        return {name: self._view(flat[start:], name) for name, start in self._starts.items()}

    def _view(self, flat: Tensor, name: str) -> Tensor:
        """Return the parameter at the start of `flat`."""
        *rest, last = shape = self._shapes[name]
        flat = flat[: math.prod(shape)]
        return flat.view(last, *rest).movedim(0, -1) if name in self._last_first else flat.view(shape)
