"""Weights on disk: training's state, and what is carried from machine to machine in small files."""

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from training.packing import unpack

PREFIX = "ema_model.transformer."  # of every name in an exported DiT
MOST_BYTES = 15 * 1024 * 1024  # of one carried file


def save_carried(tensors: Mapping[str, Tensor], folder: Path, name: str) -> None:
    """Write `name-0.safetensors`, `name-1.safetensors` ... in float16, each under MOST_BYTES."""
    folder.mkdir(parents=True, exist_ok=True)
    shards: list[dict[str, Tensor]] = [{}]
    size = 0
    for key, tensor in tensors.items():
        half = tensor.detach().half().cpu().contiguous()
        if size + half.numel() * 2 > MOST_BYTES:
            shards.append({})
            size = 0
        shards[-1][key] = half
        size += half.numel() * 2
    for number, shard in enumerate(shards):
        target = folder / f"{name}-{number}.safetensors"
        save_file(shard, target.with_suffix(".part"))
        target.with_suffix(".part").replace(target)


def load_carried(folder: Path, name: str) -> dict[str, Tensor]:
    """Every tensor of the files `name-*.safetensors`, in float32; else those of the exported DiT."""
    paths = sorted(folder.glob(f"{name}-*.safetensors")) or [folder / "model.safetensors"]
    tensors: dict[str, Tensor] = {}
    for path in paths:
        tensors.update(load_file(path))
    return {key.removeprefix(PREFIX): tensor for key, tensor in unpack(tensors).items()}


def save_state(state: dict[str, object], path: Path) -> None:
    """The full state, for a later call on the same machine."""
    torch.save(state, path.with_suffix(".part"))
    path.with_suffix(".part").replace(path)


class Average:
    """Exponential moving average of a model's parameters (buffers are constants here)."""

    def __init__(self, model: nn.Module, keep: float) -> None:
        self.keep = keep
        self.live = dict(model.named_parameters())
        self.mean = {name: parameter.detach().clone() for name, parameter in self.live.items()}

    @torch.no_grad()
    def update(self, step: int) -> None:
        keep = min(self.keep, (1 + step) / (10 + step))
        torch._foreach_lerp_(list(self.mean.values()), [p.detach() for p in self.live.values()], 1 - keep)

    @torch.no_grad()
    def swap(self) -> None:
        """Exchange average and live values; call twice around an evaluation."""
        for name, parameter in self.live.items():
            kept = parameter.detach().clone()
            parameter.copy_(self.mean[name])
            self.mean[name].copy_(kept)
