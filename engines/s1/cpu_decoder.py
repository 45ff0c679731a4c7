"""A decode step with `cpu_kernels`, on the same state as `Decoder.draw` and with equal results up to rounding."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from engines.runtime import quantization as quantizing
from engines.s1 import cpu_kernels as kernels
from engines.s1.config import StackConfig
from engines.s1.decode_state import DecodeState
from engines.s1.network import DualAR

LEVELS = 127  # of int8, on each side of zero


class CpuDecoder:
    """Generates frames for the rows of a `DecodeState`, and updates the state."""

    def __init__(self, state: DecodeState) -> None:
        self.compiled: Callable[..., None] | None = None  # `kernels.draw`, for matrices of `dtype`
        self._arguments = arguments(state)
        self._codebooks = state.network.config.codebooks

    @property
    def dtype(self) -> str:
        """Return the dtype of the matrices: float32 or int8."""
        return str(self._arguments[1].qkv.weight.dtype)

    def draw(self, rows: int, *_: object) -> Tensor:
        """Compute the same as `Decoder.draw`; `compiled` must be set."""
        drawn = np.empty((rows, self._codebooks), np.int64)
        self.compiled(*self._arguments, drawn)  # type: ignore[misc]
        return torch.from_numpy(drawn)


@torch.inference_mode()
def arguments(state: DecodeState) -> tuple[Any, ...]:
    """Return the arguments of `kernels.draw` before its result: the state's memory, and the stacked weights."""
    network = state.network
    fast_head = network.fast_output.weight[: state.residual_size]
    matrices = {
        "slow": _stacked(network.layers) | {"head": network.head[None]},
        "fast": _stacked(network.fast_layers) | {"head": fast_head[None]},
        "between": {"project": _projection(network)},
    }
    whole = all(_is_whole(weight) for part in matrices.values() for weight in part.values())
    held = {
        part: {name: _matrices(weight, whole) for name, weight in named.items()} for part, named in matrices.items()
    }
    config = network.config
    return (
        kernels.StateArrays(*(getattr(state, name).numpy() for name in kernels.StateArrays._fields)),
        _layer_weights(network.layers, config.slow, network.slow_table, network.norm, held["slow"]),
        _layer_weights(network.fast_layers, config.fast, network.fast_table, network.fast_norm, held["fast"]),
        _embeddings(network, held["between"]["project"]),
    )


def _stacked(layers: nn.ModuleList) -> dict[str, Tensor]:
    """Return the matrices of all layers by their names in `kernels.LayerWeights`, (layers, outputs, inputs)."""
    names = {
        "qkv": "attention.wqkv", "out": "attention.wo",
        "gate": "feed_forward.w1", "up": "feed_forward.w3", "down": "feed_forward.w2",
    }  # fmt: skip
    return {
        name: torch.stack([_plain(layer.get_submodule(place).weight) for layer in layers])  # type: ignore[arg-type]
        for name, place in names.items()
    }


def _projection(network: DualAR) -> Tensor:
    between = network.fast_project_in
    return between.weight[None] if isinstance(between, nn.Linear) else torch.empty(1, 0, 0)


def _plain(weight: Tensor) -> Tensor:
    held: Any = weight
    plain: Tensor = held.dequantize() if quantizing.is_quantized(weight) else weight
    return plain


def _layer_weights(
    layers: nn.ModuleList, config: StackConfig, table: Tensor, norm: nn.Module, matrices: dict[str, kernels.Matrices]
) -> kernels.LayerWeights:
    def norms(name: str) -> Any:
        return torch.stack([layer.get_parameter(name) for layer in layers]).numpy()

    none = np.empty((len(layers), 0), np.float32)
    return kernels.LayerWeights(
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


def _embeddings(network: DualAR, project: kernels.Matrices) -> kernels.Embeddings:
    between = network.fast_project_in
    return kernels.Embeddings(
        text=network.embeddings.weight.numpy(),
        codebooks=network.codebook_embeddings.weight.numpy(),
        fast=network.fast_embeddings.weight.numpy(),
        project=project,
        bias=between.bias.numpy() if isinstance(between, nn.Linear) else np.empty(0, np.float32),
        begin=network.semantic_begin,
        shrink=1 / math.sqrt(network.config.codebooks + 1) if network.config.scaled else 1.0,
    )


def _steps(weights: Tensor) -> Tensor:
    """Return the (layers, outputs) scales that map each output's largest weight to 127."""
    return weights.abs().amax(2) / LEVELS if weights.numel() else torch.ones(weights.shape[:2])


def _levels(weights: Tensor) -> Tensor:
    """Quantise (layers, outputs, inputs) weights to whole scales."""
    return (weights / _steps(weights).clamp(min=1e-30)[..., None]).round()


def _is_whole(weights: Tensor) -> bool:
    """Return True if the weights are exact multiples of their scales, as in a checkpoint stored in int8."""
    return torch.equal(_levels(weights) * _steps(weights)[..., None], weights)


def _matrices(weights: Tensor, whole: bool) -> kernels.Matrices:
    """Return the weights as the kernels read them; exact int8 weights take a quarter of the memory bandwidth."""
    if whole:
        return kernels.Matrices(_levels(weights).to(torch.int8).numpy(), _steps(weights).numpy())
    return kernels.Matrices(weights.numpy(), np.empty((len(weights), 0), np.float32))
