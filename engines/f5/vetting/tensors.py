"""The work of the vetting process: open F5 weights, check every tensor, write them in the studio's layouts.

This code works on untrusted files; `engines.f5.vetting.process` limits the process and reports to the studio.
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
LARGEST_VALUE = torch.finfo(torch.float16).max  # a GPU computes in half precision


def check_and_write(task: VettingTask) -> dict[str, object]:
    """Check and write the weights, and describe them. Raises BadCheckpoint, EngineFailed, and any error of a reader."""
    name = Path(task.weights).name
    network = _network(task)
    tensors = _checked(_opened(Path(task.weights)), network, name, task.design)
    try:
        return _written(tensors, task, network.config.dim_head)
    except (OSError, SafetensorError, RuntimeError) as error:
        raise EngineFailed(
            f"{name} is valid, but storing it failed ({error}); free some disk space and try again"
        ) from error


def _network(task: VettingTask) -> DiT:
    """Build the network on `meta`: names and shapes without memory."""
    arch, _ = read_design(Path(task.architecture))
    with unfilled():
        return DiT(DiTConfig.from_mapping(arch, Vocabulary.read(Path(task.vocabulary)).size))


def _opened(path: Path) -> dict[str, Any]:
    """Open the file's tensors, mapped in place."""
    if is_pytorch(path):
        return torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    return read(path)


def _checked(held: dict[str, Any], network: DiT, name: str, design: str) -> dict[str, Tensor]:
    """Check that the tensors are exactly the network's: plain, of its shapes, finite, within half precision."""
    tensors = transformer(held)
    if not tensors:
        raise BadCheckpoint(f"{name} has no named tensors of a transformer; choose an F5-TTS checkpoint")
    if wrong := misfit({key: tuple(tensor.shape) for key, tensor in tensors.items()}, shapes(network)):
        raise BadCheckpoint(f"{name} was not tuned from {design}: {wrong}; choose weights that were")
    for key, tensor in tensors.items():
        plain = (
            type(tensor) in (Tensor, nn.Parameter) and tensor.layout == torch.strided and tensor.device.type == "cpu"
        )
        if not plain or tensor.dtype not in DTYPES:
            raise BadCheckpoint(
                f"{name}: {key} has unsupported dtype {tensor.dtype} or layout; save it as float32 or float16"
            )
        low, high = (bound.item() for bound in tensor.detach().aminmax())
        if not (math.isfinite(low) and math.isfinite(high)):
            raise BadCheckpoint(f"{name}: {key} contains NaN or infinity; use an earlier checkpoint of this training")
        if max(-low, high) > LARGEST_VALUE:
            raise BadCheckpoint(
                f"{name}: {key} exceeds the range of half precision and would give noise on a GPU; use another checkpoint"
            )
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
