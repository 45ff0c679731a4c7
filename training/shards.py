"""Weights during training: float16 files that are small enough to transfer, and the full state for this machine."""

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from engines.runtime import weights

SHARD_BYTES = 14 * 2**20
State = dict[str, Tensor]


def save_shards(tensors: Mapping[str, Tensor], folder: Path, name: str, notes: Mapping[str, str] | None = None) -> None:
    """Write `name-00001.safetensors` and so on, each under SHARD_BYTES, with the notes. Each appears complete or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, shard in enumerate(_shards(tensors), start=1):
        target = folder / f"{name}-{number:05d}.safetensors"
        save_file(shard, target.with_suffix(".part"), metadata=dict(notes) if notes else None)
        target.with_suffix(".part").replace(target)


def _shards(tensors: Mapping[str, Tensor]) -> list[State]:
    shards: list[State] = [{}]
    size = 0
    for name, value in tensors.items():
        half = value.detach().to("cpu", torch.float16).contiguous()
        if size + half.nbytes > SHARD_BYTES:
            shards.append({})
            size = 0
        shards[-1][name] = half
        size += half.nbytes
    return shards


def has_shards(folder: Path, name: str) -> bool:
    return any(folder.glob(f"{name}-*.safetensors"))


def load_shards(folder: Path, name: str) -> State:
    """Return float32 tensors of `name-*.safetensors`; int8 is converted. Raises FileNotFoundError if there are none."""
    shards = sorted(folder.glob(f"{name}-*.safetensors"))
    if not shards:
        raise FileNotFoundError(f"{folder} has no {name}-*.safetensors; train {name} first")
    return {key: value for shard in shards for key, value in load_exported(shard).items()}


def read_notes(folder: Path | None, name: str) -> dict[str, str]:
    """Return the notes of the first shard; empty if there is none."""
    shards = sorted(folder.glob(f"{name}-*.safetensors")) if folder else []
    return notes_of(shards[0]) if shards else {}


def notes_of(path: Path) -> dict[str, str]:
    """Return the notes in a file of weights."""
    with safe_open(path, "pt") as file:
        return dict(file.metadata() or {})


def load_exported(path: Path) -> State:
    """Return float32 tensors of an exported file; int8 is converted. Raises BadCheckpoint."""
    return {name: value.float() for name, value in weights.read(path).items()}


def save_state(state: Mapping[str, object], path: Path) -> None:
    """Save the full state, so that training can continue on this machine. The file appears complete or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(dict(state), path.with_suffix(".part"))
    path.with_suffix(".part").replace(path)
