"""Read tensors from files, without running code from a file."""

import hashlib
import pickle
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn.utils.parametrize import register_parametrization
from torch.overrides import TorchFunctionMode

from engines.errors import BadCheckpoint

BLOCK = 1 << 20
NORM = ".parametrizations.weight.original"
SCALE = ".scale"  # `name` holds int8 and `name.scale` its (rows,) scale per output channel


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's size, first and last mebibyte, which differ between any two sets of weights."""
    size = path.stat().st_size
    hashed = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        hashed.update(file.read(BLOCK))
        file.seek(max(0, size - BLOCK))
        hashed.update(file.read(BLOCK))
    return hashed.hexdigest()


def read(path: Path) -> dict[str, Tensor]:
    """Read the tensors of a .safetensors or PyTorch file, which may hold only tensors. Raises BadCheckpoint."""
    try:
        if path.suffix == ".safetensors":
            return restore(load_file(path))
        held = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except (OSError, SafetensorError, RuntimeError, pickle.UnpicklingError, EOFError) as error:
        raise BadCheckpoint(f"{path.name} is damaged or not a checkpoint; download it again") from error
    if not isinstance(held, dict):
        raise BadCheckpoint(f"{path.name} has no named tensors; choose a checkpoint file")
    return held


def fold_weight_norms(tensors: Mapping[str, Tensor], file: str) -> dict[str, Tensor]:
    """Replace each weight norm (Salimans and Kingma 2016, arXiv:1602.07868) by the weight. Raises BadCheckpoint.

    Reads the names of both of torch's forms: weight_g and weight_v, or parametrizations.weight.original0 and original1.
    """
    state = {
        name.replace(f"{NORM}0", ".weight_g").replace(f"{NORM}1", ".weight_v"): held for name, held in tensors.items()
    }
    for stem in [name.removesuffix("_g") for name in state if name.endswith(".weight_g")]:
        length, direction = state.pop(f"{stem}_g"), state.pop(f"{stem}_v", torch.empty(0))
        if direction.dim() != 3 or length.shape != (len(direction), 1, 1):
            raise BadCheckpoint(f"{file} has another architecture: {stem}_v is missing or does not fit {stem}_g")
        state[stem] = torch._weight_norm(direction.float(), length.float(), 0)
    return state


def restore(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Convert int8-per-channel tensors to float; other tensors stay unchanged."""
    scales = {name.removesuffix(SCALE): scale for name, scale in tensors.items() if name.endswith(SCALE)}
    return {
        name: value if name not in scales else value.float() * scales[name].float().view(-1, *[1] * (value.dim() - 1))
        for name, value in tensors.items()
        if not (name.endswith(SCALE) and name.removesuffix(SCALE) in tensors)
    }


@contextmanager
def unfilled() -> Iterator[None]:
    """Build networks whose parameters have no memory and no values; `fill` with `adopt` gives them a checkpoint's."""
    with torch.device("meta"), _WithoutInit():
        yield


class _WithoutInit(TorchFunctionMode):
    """Skips initial values, which take seconds in a large network; drawing them on `meta` imports the compiler."""

    def __torch_function__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = kwargs or {}
        is_init = getattr(function, "__module__", "") == nn.init.__name__
        return given["tensor"] if is_init else function(*args, **given)


def shapes(network: nn.Module) -> dict[str, tuple[int, ...]]:
    """Return the tensor shapes that a checkpoint of this network must have."""
    return {name: tuple(parameter.shape) for name, parameter in network.named_parameters()}


def misfit(found: Mapping[str, tuple[int, ...]], needed: Mapping[str, tuple[int, ...]]) -> str:
    """Describe how tensors of these shapes differ from the needed ones; empty if all match."""
    wrong = [f"{name} is missing" for name in needed.keys() - found.keys()]
    wrong += [f"{name!r:.80} is unknown" for name in found.keys() - needed.keys()]
    wrong += [
        f"{name} is {found[name]} and not {needed[name]}"
        for name in needed
        if found.get(name) not in (None, needed[name])
    ]
    return ", ".join(sorted(wrong)[:2])


def fill(network: nn.Module, tensors: dict[str, Tensor], name: str, adopt: bool = False) -> None:
    """Load tensors by name and shape; `adopt` uses the tensors themselves, for a network that was built `unfilled`.

    Raises BadCheckpoint with the first parameters that do not fit.
    """
    try:
        missing, unexpected = network.load_state_dict(tensors, strict=False, assign=adopt)
    except RuntimeError as error:
        raise BadCheckpoint(f"{name} does not have the size of its configuration; check both files") from error
    needed = dict(network.named_parameters())  # buffers, such as windows, are constants that the network computes
    missing = [key for key in missing if key in needed]
    if missing or unexpected:
        wrong = [f"{key} is missing" for key in missing[:2]] + [f"{key} is unknown" for key in unexpected[:2]]
        raise BadCheckpoint(f"{name} has another architecture: {', '.join(wrong)}")


def halve(network: nn.Module) -> None:
    """Store the weights of convolutions and linear layers in float16, and convert them to float32 for every use.

    The rounding is that of TF32, in which the convolutions of a GPU multiply anyway.
    """
    for layer in network.modules():
        if isinstance(layer, nn.Conv1d | nn.Linear):
            layer.weight = nn.Parameter(layer.weight.half(), requires_grad=False)
            register_parametrization(layer, "weight", _Single(), unsafe=True)  # the parametrization changes the dtype


class _Single(nn.Module):
    def forward(self, weight: Tensor) -> Tensor:
        return weight.float()
