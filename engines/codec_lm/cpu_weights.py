"""The weights of transformer layers in the form of `cpu_kernels`."""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from engines.codec_lm import cpu_kernels
from engines.codec_lm.config import StackConfig
from engines.runtime import quantization as quantizing

LEVELS = 127  # of int8, on each side of zero


def stacked(layers: nn.ModuleList) -> dict[str, Tensor]:
    """Return the matrices of all layers by their names in `cpu_kernels.LayerWeights`, (layers, outputs, inputs)."""
    names = {
        "qkv": "attention.wqkv", "out": "attention.wo",
        "gate": "feed_forward.w1", "up": "feed_forward.w3", "down": "feed_forward.w2",
    }  # fmt: skip
    return {
        name: torch.stack([_plain(layer.get_submodule(place).weight) for layer in layers])  # type: ignore[arg-type]
        for name, place in names.items()
    }


def _plain(weight: Tensor) -> Tensor:
    held: Any = weight
    plain: Tensor = held.dequantize() if quantizing.is_quantized(weight) else weight
    return plain


def layer_weights(
    layers: nn.ModuleList,
    config: StackConfig,
    table: Tensor,
    norm: nn.Module,
    matrices: dict[str, cpu_kernels.Matrices],
) -> cpu_kernels.LayerWeights:
    def norms(name: str) -> Any:
        return torch.stack([layer.get_parameter(name) for layer in layers]).numpy()

    none = np.empty((len(layers), 0), np.float32)
    return cpu_kernels.LayerWeights(
        **matrices,
        attention_norm=norms("attention_norm.weight"),
        q_norm=norms("attention.q_norm.weight") if config.qk_norm else none,
        k_norm=norms("attention.k_norm.weight") if config.qk_norm else none,
        ffn_norm=norms("ffn_norm.weight"),
        table=table.numpy(),
        norm=norm.get_parameter("weight").numpy(),
        eps=config.norm_eps,
        heads=config.heads,
    )


def _steps(weights: Tensor) -> Tensor:
    """Return the (layers, outputs) scales that map each output's largest weight to 127."""
    return weights.abs().amax(2) / LEVELS if weights.numel() else torch.ones(weights.shape[:2])


def _levels(weights: Tensor) -> Tensor:
    """Quantise (layers, outputs, inputs) weights to whole scales."""
    return (weights / _steps(weights).clamp(min=1e-30)[..., None]).round()


def is_whole(weights: Tensor) -> bool:
    """Return True if the weights are exact multiples of their scales, as in a checkpoint stored in int8."""
    return torch.equal(_levels(weights) * _steps(weights)[..., None], weights)


def matrices_of(weights: Tensor, whole: bool) -> cpu_kernels.Matrices:
    """Return the weights as the kernels read them; exact int8 weights take a quarter of the memory bandwidth."""
    if whole:
        return cpu_kernels.Matrices(_levels(weights).to(torch.int8).numpy(), _steps(weights).numpy())
    return cpu_kernels.Matrices(weights.numpy(), np.empty((len(weights), 0), np.float32))
