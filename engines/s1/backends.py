"""Backends of S1's decode step, the fastest first, and when each applies."""

from dataclasses import dataclass, replace

import torch

from engines.codec_lm.backends import TORCH
from engines.codec_lm.decode_state import DecodeState
from engines.runtime import quantization
from engines.runtime.backends import (
    Computation,
    ComputeBackend,
    Conditions,
    Hardware,
    Selection,
    on_cpu,
    on_gpu,
)
from engines.s1.config import DualARConfig
from engines.s1.network import DualAR
from engines.s1.resident.sizes import CAPABILITY, SIZES, divides

SMALL = 50_000_000  # weights; PyTorch is as fast for larger networks, because memory limits both


@dataclass(frozen=True, slots=True, kw_only=True)
class S1Conditions(Conditions):
    """The facts about machine and network that select the backends of S1's decode step."""

    network: DualARConfig
    semantic_count: int  # codes that can be drawn, by kind
    residual_size: int
    weights: int  # of the layers
    dtype: torch.dtype  # of weights and KV cache; int8 if either is quantised
    rows: int = 2  # in one step

    @classmethod
    def of(cls, network: DualAR, state: DecodeState, *, compile: bool) -> "S1Conditions":
        """Read the conditions from a network and the state of its rows."""
        layers = [weight for part in (network.layers, network.fast_layers) for weight in part.parameters()]
        quantised = any(map(quantization.is_quantized, network.parameters()))
        dtypes = {weight.dtype for weight in network.parameters()} | {state.cache.dtype}
        uniform = not quantised and len(dtypes) == 1
        return cls(
            hardware=Hardware.of(state.pending.device),
            compile=compile,
            network=network.config,
            semantic_count=network.semantic_count,
            residual_size=network.residual_size,
            weights=sum(weight.numel() for weight in layers),
            dtype=dtypes.pop() if uniform else torch.int8,
        )


def selections(conditions: S1Conditions) -> tuple[Selection[S1Conditions], Selection[S1Conditions]]:
    """Select the decode backends for one row and for several."""
    return (
        Selection(DECODE, replace(conditions, rows=1), "Decode step, 1 row"),
        Selection(DECODE, replace(conditions, rows=2), "Decode step, 2 or more rows"),
    )


def _resident_obstacle(conditions: S1Conditions) -> str:
    hardware = conditions.hardware
    if obstacle := on_gpu(conditions):
        return obstacle
    if conditions.rows != 1:
        return "draws one row only"
    if hardware.capability < CAPABILITY:
        return "needs compute capability {}.{}; this GPU has {}.{}".format(*CAPABILITY, *hardware.capability)
    if hardware.multiprocessors < SIZES["GRID"] or hardware.shared_memory_bytes < SIZES["SHARED"]:
        return f"needs {SIZES['GRID']} multiprocessors with {SIZES['SHARED'] // 1024} KiB of shared memory each"
    if conditions.dtype != torch.bfloat16:
        return "needs weights and KV cache in bfloat16"
    if not divides(conditions.network, conditions.semantic_count, conditions.residual_size):
        return "does not support the sizes of this network"
    return ""


def _numba_obstacle(conditions: S1Conditions) -> str:
    stacks = conditions.network.slow, conditions.network.fast
    if obstacle := on_cpu(conditions):
        return obstacle
    if conditions.weights > SMALL:
        return f"is no faster for networks above {SMALL // 1_000_000} million weights"
    if any(stack.qkv_bias or stack.o_bias for stack in stacks):
        return "does not support biases"
    return ""


DECODE: Computation[S1Conditions] = Computation(
    title="Decode step",
    backends=(
        ComputeBackend(
            name="resident",
            title="one CUDA kernel per frame",
            condition="1 row; CUDA GPU of compute capability {}.{}; S1-Mini's sizes in bfloat16".format(*CAPABILITY),
            numerics="rounding",
            obstacle=_resident_obstacle,
        ),
        ComputeBackend(
            name="triton",
            title="Triton kernels in a CUDA graph",
            condition="CUDA GPU",
            numerics="rounding",
            obstacle=on_gpu,
        ),
        ComputeBackend(
            name="numba",
            title="one numba kernel per frame",
            condition=f"CPU; at most {SMALL // 1_000_000} million weights in the layers, no biases",
            numerics="rounding",
            obstacle=_numba_obstacle,
        ),
        TORCH,
    ),
)
