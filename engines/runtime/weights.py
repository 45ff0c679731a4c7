"""Tensors from files, without ever running code that a file holds."""

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

SCALE = ".scale"  # `name` is int8 and `name.scale` (rows,) its step per output channel


def read(path: Path) -> dict[str, Tensor]:
    """The tensors of a .safetensors or a PyTorch file (which may hold only tensors). Raises BadCheckpoint."""
    try:
        if path.suffix == ".safetensors":
            return restore(load_file(path))
        held = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except (OSError, SafetensorError, RuntimeError, pickle.UnpicklingError, EOFError) as error:
        raise BadCheckpoint(f"{path.name} is broken or is no checkpoint; fetch it again") from error
    if not isinstance(held, dict):
        raise BadCheckpoint(f"{path.name} holds no named tensors; it is not a checkpoint")
    return held


def restore(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Undo int8-per-channel storage; everything else stays as it is."""
    scales = {name.removesuffix(SCALE): scale for name, scale in tensors.items() if name.endswith(SCALE)}
    return {
        name: value if name not in scales else value.float() * scales[name].float().view(-1, *[1] * (value.dim() - 1))
        for name, value in tensors.items()
        if not (name.endswith(SCALE) and name.removesuffix(SCALE) in tensors)
    }


@contextmanager
def unfilled() -> Iterator[None]:
    """Networks built within have parameters without memory or values, for `fill` to adopt a checkpoint's in their place."""
    with torch.device("meta"), _WithoutInit():
        yield


class _WithoutInit(TorchFunctionMode):
    """Leaves out initial values: a large network's take seconds, and drawing them on `meta` imports the compiler."""

    def __torch_function__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = kwargs or {}
        is_init = getattr(function, "__module__", "") == nn.init.__name__
        return given["tensor"] if is_init else function(*args, **given)


def shapes(network: nn.Module) -> dict[str, tuple[int, ...]]:
    """What a checkpoint of this network must hold."""
    return {name: tuple(parameter.shape) for name, parameter in network.named_parameters()}


def misfit(found: Mapping[str, tuple[int, ...]], needed: Mapping[str, tuple[int, ...]]) -> str:
    """What is wrong with tensors of these shapes, in words; empty if they are just what is needed."""
    wrong = [f"{name} is missing" for name in needed.keys() - found.keys()]
    wrong += [f"{name!r:.80} is not known" for name in found.keys() - needed.keys()]
    wrong += [
        f"{name} is {found[name]} and not {needed[name]}"
        for name in needed
        if found.get(name) not in (None, needed[name])
    ]
    return ", ".join(sorted(wrong)[:2])


def fill(network: nn.Module, tensors: dict[str, Tensor], name: str, adopt: bool = False) -> None:
    """Load by name and shape; `adopt` takes the tensors themselves, for a network that was built `unfilled`.

    Raises BadCheckpoint naming the first parameters that do not fit.
    """
    try:
        missing, unexpected = network.load_state_dict(tensors, strict=False, assign=adopt)
    except RuntimeError as error:
        raise BadCheckpoint(f"{name} is of another size than its configuration says; check both") from error
    needed = dict(network.named_parameters())  # buffers, such as windows, are constants the network makes itself
    missing = [key for key in missing if key in needed]
    if missing or unexpected:
        wrong = [f"{key} is missing" for key in missing[:2]] + [f"{key} is not known" for key in unexpected[:2]]
        raise BadCheckpoint(f"{name} is of another architecture: {', '.join(wrong)}")


def halve(network: nn.Module) -> None:
    """Keep the weights of convolutions and linear layers in float16, of which they are float32 again whenever they are used.

    That rounds them as far as TF32 does, in which a GPU's convolutions multiply in any case.
    """
    for layer in network.modules():
        if isinstance(layer, nn.Conv1d | nn.Linear):
            layer.weight = nn.Parameter(layer.weight.half(), requires_grad=False)
            register_parametrization(layer, "weight", _Single(), unsafe=True)  # it changes the dtype


class _Single(nn.Module):
    def forward(self, weight: Tensor) -> Tensor:
        return weight.float()
