"""Backends of F5's computations, the fastest first, and when each applies."""

from dataclasses import dataclass

import torch

from engines.runtime.backends import Computation, ComputeBackend, Conditions, Selection, everywhere, on_gpu

HALF = torch.float16, torch.bfloat16


@dataclass(frozen=True, slots=True, kw_only=True)
class F5Conditions(Conditions):
    """The facts about machine and network that select the backends of F5."""

    dtype: torch.dtype  # of the network


def selections(conditions: F5Conditions) -> tuple[Selection[F5Conditions], ...]:
    """Select the backends of the flow step, its attention and the text encoder."""
    return tuple(Selection(computation, conditions) for computation in (FLOW_STEP, ATTENTION, TEXT_ENCODER))


def has_varlen_attention(kind: str, dtype: torch.dtype) -> bool:
    """Return True if FlashAttention reads packed sequences of different lengths on this kind of device."""
    return kind == "cuda" and dtype in HALF


def has_product_attention(kind: str, dtype: torch.dtype) -> bool:
    """Return True if two matrix products are faster than PyTorch's attention kernel."""
    return kind == "cpu" and dtype == torch.bfloat16


def _varlen_obstacle(conditions: F5Conditions) -> str:
    kind = conditions.hardware.kind
    return "" if has_varlen_attention(kind, conditions.dtype) else "needs a CUDA GPU and half precision"


def _product_obstacle(conditions: F5Conditions) -> str:
    return "" if has_product_attention(conditions.hardware.kind, conditions.dtype) else "needs a CPU and bfloat16"


def _bfloat16_obstacle(conditions: F5Conditions) -> str:
    if conditions.hardware.kind != "cpu":
        return "runs on a CPU only"
    if conditions.dtype != torch.bfloat16:
        return "this CPU is not faster in bfloat16, or STUDIO_CPU_PRECISION is float32"
    return ""


TRITON: ComputeBackend[Conditions] = ComputeBackend(
    name="triton",
    title="Triton kernels in CUDA graphs",
    condition="CUDA GPU",
    numerics="rounding",
    obstacle=on_gpu,
)
BFLOAT16: ComputeBackend[F5Conditions] = ComputeBackend(
    name="torch-bfloat16",
    title="PyTorch in bfloat16",
    condition="CPU that computes faster in bfloat16; STUDIO_CPU_PRECISION=auto",
    numerics="rounding",
    obstacle=_bfloat16_obstacle,
)
TORCH: ComputeBackend[Conditions] = ComputeBackend(
    name="torch", title="PyTorch", condition="everywhere", numerics="bit-identical", obstacle=everywhere
)
FLOW_STEP: Computation[F5Conditions] = Computation(title="Flow step", backends=(TRITON, BFLOAT16, TORCH))
TEXT_ENCODER: Computation[F5Conditions] = Computation(title="Text encoder", backends=(TRITON, BFLOAT16, TORCH))
ATTENTION: Computation[F5Conditions] = Computation(
    title="Attention",
    backends=(
        TRITON,
        ComputeBackend(
            name="flash",
            title="FlashAttention over packed sequences",
            condition="CUDA GPU, half precision",
            numerics="rounding",
            obstacle=_varlen_obstacle,
        ),
        ComputeBackend(
            name="products",
            title="two matrix products for each sequence",
            condition="CPU, bfloat16",
            numerics="rounding",
            obstacle=_product_obstacle,
        ),
        ComputeBackend(
            name="sdpa",
            title="PyTorch's attention for each sequence",
            condition="everywhere",
            numerics="bit-identical",
            obstacle=everywhere,
        ),
    ),
)
