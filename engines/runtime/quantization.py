"""Weights of fewer bits through torchao: int8 wherever it runs, int4 where its kernel does. Activations stay as they are."""

import importlib
from collections.abc import Iterable
from typing import Any, Literal

import torch
from torch import Tensor, nn

from engines.errors import BadSetting

Kind = Literal["none", "int8", "int4"]
GROUP = 128  # int4 weights that share a step and a zero


def check(kind: Kind, device: torch.device, dtype: torch.dtype) -> Kind:
    """Return `kind` if the device can compute with such weights. Raises BadSetting saying what to use instead."""
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
    """Quantise the linear layers of these blocks in place. Raises BadSetting if a block has none wide enough."""
    if kind == "none":
        return
    from torchao.quantization import (  # type: ignore[import-untyped]
        Int4WeightOnlyConfig,
        Int8WeightOnlyConfig,
        quantize_,
    )

    config: Any = Int8WeightOnlyConfig(set_inductor_config=False)  # those settings are the whole process's
    if kind == "int4":
        config = Int4WeightOnlyConfig(
            group_size=GROUP, int4_packing_format="tile_packed_to_4d", set_inductor_config=False
        )
    for block in blocks:
        quantize_(block, config)
        if not any(is_quantized(weight) for weight in block.parameters()):
            raise BadSetting(f"this checkpoint's layers are too narrow for {kind}; use int8 or none")


def register() -> None:
    """Let `torch.load(weights_only=True)` read quantised tensors: importing torchao registers its own."""
    importlib.import_module("torchao.quantization")


def is_quantized(weight: Tensor) -> bool:
    """Whether torchao stores it in fewer bits."""
    return hasattr(weight, "qdata")


def is_int4(weight: Tensor) -> bool:
    """Whether it is stored as int4."""
    return hasattr(weight, "scale_and_zero")


def parts(weight: Tensor) -> tuple[Tensor, Tensor | None]:
    """A plain weight and None, or int8 (outputs, inputs) numbers and the float32 (outputs, 1) step of each output."""
    held: Any = weight
    return (held.qdata, held.scale) if is_quantized(weight) else (weight, None)


def stored_bytes(weight: Tensor) -> int:
    """Bytes that a weight, quantised or not, takes in memory."""
    held: Any = weight
    if not is_quantized(weight):
        return weight.numel() * weight.element_size()
    inner = [held.qdata, held.scale_and_zero if is_int4(weight) else held.scale]
    return sum(tensor.numel() * tensor.element_size() for tensor in inner)
