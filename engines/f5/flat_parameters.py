"""A network's parameters in one buffer: other weights are activated by one copy, without compiling anything again."""

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

ALIGNED = (
    128  # elements; every parameter, or group of them, starts at a multiple, so that kernels may read it in wide words
)


class FlatParameters:
    """Where each parameter lies in one buffer `data`, (n,) of the network's dtype on its device."""

    def __init__(
        self,
        network: nn.Module,
        device: torch.device,
        dtype: torch.dtype,
        side_by_side: Sequence[Sequence[str]] = (),
        last_first: Collection[str] = (),
    ) -> None:
        """Moves the network's parameters into the buffer; from here on they are views of it.

        Between parameters that are named together in `side_by_side` nothing lies; of those in `last_first` the last axis is
        the outermost in memory.
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
        """Parameters that lie side by side as one, along their first axis; a view."""
        rows, rest = sum(self._shapes[name][0] for name in names), self._shapes[names[0]][1:]
        start = self._starts[names[0]]
        return self.data[start : start + rows * math.prod(rest)].view(rows, *rest)

    def read(self, weights: Weights) -> Tensor:
        """The file's tensors as `data` is laid out, on the host. From any thread.

        Raises BadCheckpoint, and OutOfMemory where the host has no room.
        """
        path = Path(weights.path)
        try:
            self._check(path, weights)
            return self._filled(path)
        except (OSError, SafetensorError) as error:
            raise BadCheckpoint(f"the weights of {weights.name} cannot be read; attach them again") from error
        except (MemoryError, RuntimeError) as error:  # torch's allocators raise the second
            raise OutOfMemory(
                f"there is no memory left for the weights of {weights.name}; unload an engine, or try again later"
            ) from error

    def _check(self, path: Path, weights: Weights) -> None:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != weights.sha256:
            raise BadCheckpoint(
                f"the weights of {weights.name} were changed since they were checked; attach them again"
            )
        # Read, not mapped: a mapped file that is cut short meanwhile would end the studio.
        with safe_open(path, framework="pt", backend="pread") as held:
            found = {name: tuple(held.get_slice(name).get_shape()) for name in held.keys()}  # noqa: SIM118
        if wrong := misfit(found, self._shapes):
            raise BadCheckpoint(
                f"the weights of {weights.name} are of another architecture than this studio's F5-TTS: {wrong}; "
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
        """Page-locked where a GPU will copy from it, which makes that copy several times as fast."""
        size, dtype = self.data.shape, self.data.dtype
        if self.data.device.type == "cuda":
            try:
                return torch.empty(size, dtype=dtype, pin_memory=True)
            except RuntimeError:  # the system locks no more pages
                return torch.empty(size, dtype=dtype)
        return torch.empty(size, dtype=dtype)

    def _views(self, flat: Tensor) -> dict[str, Tensor]:
        return {name: self._view(flat[start:], name) for name, start in self._starts.items()}

    def _view(self, flat: Tensor, name: str) -> Tensor:
        """The parameter at the beginning of `flat`."""
        *rest, last = shape = self._shapes[name]
        flat = flat[: math.prod(shape)]
        return flat.view(last, *rest).movedim(0, -1) if name in self._last_first else flat.view(shape)
