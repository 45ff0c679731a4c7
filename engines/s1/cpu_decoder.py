"""A frame with `cpu_kernels`, on the same state as `DualARStep.draw` and with equal results up to rounding."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from engines.codec_lm.cpu_weights import is_whole, layer_weights, matrices_of, stacked
from engines.codec_lm.decode_state import DecodeState
from engines.s1 import cpu_kernels as kernels
from engines.s1.network import DualAR

STATE = ("pending", "positions", "seeds", "numbers", "recent", "settings", "cache")  # the first of `StateArrays`


class CpuDecoder:
    """Generates frames for the rows of a `DecodeState`, and updates the state."""

    def __init__(self, network: DualAR, state: DecodeState) -> None:
        self.compiled: Callable[..., None] | None = None  # `kernels.draw`, for matrices of `dtype`
        self._arguments = arguments(network, state)
        self._codebooks = network.config.codebooks

    @property
    def dtype(self) -> str:
        """Return the dtype of the matrices: float32 or int8."""
        return str(self._arguments[1].qkv.weight.dtype)

    def draw(self, rows: int, *_: object) -> Tensor:
        """Compute the same as `DualARStep.draw`; `compiled` must be set."""
        drawn = np.empty((rows, self._codebooks), np.int64)
        self.compiled(*self._arguments, drawn)  # type: ignore[misc]
        return torch.from_numpy(drawn)


@torch.inference_mode()
def arguments(network: DualAR, state: DecodeState) -> tuple[Any, ...]:
    """Return the arguments of `kernels.draw` before its result: the state's memory, and the stacked weights."""
    matrices = {
        "slow": stacked(network.layers) | {"head": network.head[None]},
        "fast": stacked(network.fast_layers) | {"head": network.fast_head[None]},
        "between": {"project": _projection(network)},
    }
    whole = all(is_whole(weight) for part in matrices.values() for weight in part.values())
    held = {
        part: {name: matrices_of(weight, whole) for name, weight in named.items()} for part, named in matrices.items()
    }
    config = network.config
    memory = [getattr(state, name).numpy() for name in STATE] + [network.fast_cache(state.rows).numpy()]
    return (
        kernels.StateArrays(*memory),
        layer_weights(network.layers, config.slow, network.slow_table, network.norm, held["slow"]),
        layer_weights(network.fast_layers, config.fast, network.fast_table, network.fast_norm, held["fast"]),
        kernels.Embeddings(**_embeddings(network), project=held["between"]["project"]),
    )


def _projection(network: DualAR) -> Tensor:
    between = network.fast_project_in
    return between.weight[None] if isinstance(between, nn.Linear) else torch.empty(1, 0, 0)


def _embeddings(network: DualAR) -> dict[str, Any]:
    """Return the members of `kernels.Embeddings` except the projection."""
    between = network.fast_project_in
    return {
        "text": network.embeddings.weight.numpy(),
        "codebooks": network.codebook_embeddings.weight.numpy(),
        "fast": network.fast_embeddings.weight.numpy(),
        "bias": between.bias.numpy() if isinstance(between, nn.Linear) else np.empty(0, np.float32),
        "begin": network.semantic_begin,
        "shrink": 1 / math.sqrt(network.config.codebooks + 1) if network.config.scaled else 1.0,
    }
