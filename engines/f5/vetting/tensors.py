"""What the vetting process does: open F5 weights, check every tensor, write them in the layouts the studio keeps.

Everything here works on an unknown file; `engines.f5.vetting.process` bounds the process and answers to the studio.
"""

import hashlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor, nn

from engines.errors import BadCheckpoint, EngineFailed
from engines.f5.config import DiTConfig
from engines.f5.files import read_design
from engines.f5.frontend import Vocabulary
from engines.f5.layouts import transformer, upstream
from engines.f5.network import DiT
from engines.f5.vetting.file_kind import is_pytorch
from engines.f5.vetting.task import VettingTask
from engines.runtime.weights import misfit, read, shapes, unfilled

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
LARGEST_VALUE = torch.finfo(torch.float16).max  # a GPU speaks in half precision


def check_and_write(task: VettingTask) -> dict[str, object]:
    """What was found and written. Raises BadCheckpoint, EngineFailed, and what a broken file makes readers raise."""
    name = Path(task.weights).name
    network = _network(task)
    tensors = _checked(_opened(Path(task.weights)), network, name, task.design)
    try:
        return _written(tensors, task, network.config.dim_head)
    except (OSError, SafetensorError, RuntimeError) as error:
        raise EngineFailed(
            f"{name} is good but could not be stored ({error}); free some disk space and try again"
        ) from error


def _network(task: VettingTask) -> DiT:
    """A network on `meta`: names and shapes, no memory."""
    arch, _ = read_design(Path(task.architecture))
    with unfilled():
        return DiT(DiTConfig.from_mapping(arch, Vocabulary.read(Path(task.vocabulary)).size))


def _opened(path: Path) -> dict[str, Any]:
    """The file's tensors, mapped where they are."""
    if is_pytorch(path):
        return torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    return read(path)


def _checked(held: dict[str, Any], network: DiT, name: str, design: str) -> dict[str, Tensor]:
    """Exactly the network's tensors, each one plain, of its shape, finite and within half precision."""
    tensors = transformer(held)
    if not tensors:
        raise BadCheckpoint(f"{name} holds no named tensors of a transformer; it is no F5-TTS checkpoint")
    if wrong := misfit({key: tuple(tensor.shape) for key, tensor in tensors.items()}, shapes(network)):
        raise BadCheckpoint(f"{name} was not tuned from {design}: {wrong}; choose weights tuned from it")
    for key, tensor in tensors.items():
        plain = (
            type(tensor) in (Tensor, nn.Parameter) and tensor.layout == torch.strided and tensor.device.type == "cpu"
        )
        if not plain or tensor.dtype not in DTYPES:
            raise BadCheckpoint(
                f"{name}: {key} is {tensor.dtype} of a kind F5-TTS has not; save it as float32 or float16"
            )
        low, high = (bound.item() for bound in tensor.detach().aminmax())
        if not (math.isfinite(low) and math.isfinite(high)):
            raise BadCheckpoint(
                f"{name}: {key} holds numbers that are not finite; its training broke, use an earlier one"
            )
        if max(-low, high) > LARGEST_VALUE:
            raise BadCheckpoint(f"{name}: {key} holds numbers beyond half precision, so it would speak noise on a GPU")
    return {key: tensors[key].detach().contiguous() for key in sorted(tensors)}


def _written(tensors: Mapping[str, Tensor], task: VettingTask, dim_head: int) -> dict[str, object]:
    save_file(dict(tensors), task.safetensors)
    if task.pt and Path(task.weights).suffix == ".safetensors":
        with open(task.pt, "wb") as file:
            torch.save(upstream(tensors, dim_head), file)
    with open(task.safetensors, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    dtypes = sorted({str(tensor.dtype).removeprefix("torch.") for tensor in tensors.values()})
    parameters = sum(tensor.numel() for tensor in tensors.values())
    return {"parameters": parameters, "dtype": "+".join(dtypes), "tensors": len(tensors), "sha256": digest}
