"""Quantise weights with torchao: int8 on CPU and CUDA, int4 where its kernel runs. Activations stay unquantised."""

import importlib
from collections.abc import Iterable
from typing import Any, Literal

import torch
from torch import Tensor, nn

from engines.errors import BadSetting

Kind = Literal["none", "int8", "int4"]
GROUP = 128  # int4 weights that share a scale and a zero point


def check(kind: Kind, device: torch.device, dtype: torch.dtype) -> Kind:
    """Return `kind` if the device supports it. Raises BadSetting with an alternative."""
    if kind == "int8" and device.type not in ("cpu", "cuda"):
        raise BadSetting(f"STUDIO_QUANTIZE=int8 runs on CUDA and on the CPU, not on {device.type}; use none")
    if kind == "int4":
        able = device.type == "cuda" and dtype == torch.bfloat16 and torch.cuda.get_device_capability(device) >= (8, 0)
        if not able:
            raise BadSetting(
                "STUDIO_QUANTIZE=int4 needs an NVIDIA GPU that computes in bfloat16 (Ampere or later); use int8"
            )
    return kind


@torch.no_grad()
def quantize(blocks: Iterable[nn.Module], kind: Kind) -> None:
    """Quantise the linear layers of the blocks in place. Raises BadSetting if a block has no wide enough layer."""
    if kind == "none":
        return
    from torchao.quantization import (  # type: ignore[import-untyped]
        Int4WeightOnlyConfig,
        Int8WeightOnlyConfig,
        quantize_,
    )

    config: Any = Int8WeightOnlyConfig(
        set_inductor_config=False
    )  # set_inductor_config would change options of the whole process
    if kind == "int4":
        config = Int4WeightOnlyConfig(
            group_size=GROUP, int4_packing_format="tile_packed_to_4d", set_inductor_config=False
        )
    for block in blocks:
        quantize_(block, config)
        if not any(is_quantized(weight) for weight in block.parameters()):
            others = "int8 or none" if kind == "int4" else "none"
            raise BadSetting(f"this checkpoint's layers are too narrow for {kind}; use {others}")


def register() -> None:
    """Register torchao's tensor classes, so that `torch.load(weights_only=True)` can read quantised tensors."""
    importlib.import_module("torchao.quantization")


def is_quantized(weight: Tensor) -> bool:
    """Return True if the weight is quantised by torchao."""
    return hasattr(weight, "qdata")


def is_int4(weight: Tensor) -> bool:
    """Return True if the weight is stored as int4."""
    return hasattr(weight, "scale_and_zero")


def cache_dtype(network: nn.Module, dtype: torch.dtype) -> torch.dtype:
    """Return the dtype of a network's keys and values: int8 if its weights are quantised on a GPU, else `dtype`."""
    small = any(is_quantized(weight) and weight.is_cuda for weight in network.parameters())
    return torch.int8 if small else dtype


def parts(weight: Tensor) -> tuple[Tensor, Tensor | None]:
    """Split a weight: int8 (outputs, inputs) and its float32 (outputs, 1) scales, or a plain weight and None."""
    held: Any = weight
    return (held.qdata, held.scale) if is_quantized(weight) else (weight, None)


def stored_bytes(weight: Tensor) -> int:
    """Return the bytes of a weight in memory, quantised or not."""
    held: Any = weight
    if not is_quantized(weight):
        return weight.numel() * weight.element_size()
    inner = [held.qdata, held.scale_and_zero if is_int4(weight) else held.scale]
    return sum(tensor.numel() * tensor.element_size() for tensor in inner)
