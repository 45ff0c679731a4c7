"""SNAC codecs with random weights in the format of the `snac` package."""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from engines.orpheus.snac import Snac
from engines.orpheus.snac_config import SnacConfig

PUBLISHED: dict[str, Any] = {
    "sampling_rate": 24000, "encoder_dim": 48, "encoder_rates": [2, 4, 8, 8], "decoder_dim": 1024,
    "decoder_rates": [8, 8, 4, 2], "attn_window_size": None, "codebook_size": 4096, "codebook_dim": 8,
    "vq_strides": [4, 2, 1], "noise": True, "depthwise": True,
}  # fmt: skip
TINY = PUBLISHED | {
    "encoder_dim": 4, "encoder_rates": [2, 3, 4], "decoder_dim": 32, "decoder_rates": [4, 3, 2], "codebook_size": 64,
}  # fmt: skip
OLD = (".weight_g", ".weight_v")  # names of the lengths and directions of a weight norm
NEW = (".parametrizations.weight.original0", ".parametrizations.weight.original1")


def write(folder: Path, config: dict[str, Any], names: tuple[str, str] = OLD, file: str = "pytorch_model.bin") -> Path:
    """Write a folder like the published one; return the path of its weights."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    held = drawn(Snac(SnacConfig.read(folder / "config.json")), names)
    save(held, folder / file)
    return folder / file


def save(held: dict[str, Tensor], path: Path) -> None:
    save_file(held, path) if path.suffix == ".safetensors" else torch.save(held, path)


def drawn(codec: Snac, names: tuple[str, str]) -> dict[str, Tensor]:
    """Draw weights that make every layer matter and keep the size of the signal."""
    generator, held = torch.Generator().manual_seed(1), {}
    for stem, module in codec.named_modules():
        for name, parameter in module.named_parameters(recurse=False):
            value = torch.randn(parameter.shape, generator=generator)
            if name == "weight" and isinstance(module, nn.Conv1d | nn.ConvTranspose1d):
                rate = module.stride[0] if isinstance(module, nn.ConvTranspose1d) else 1
                held[stem + names[0]] = rate**0.5 * (0.3 + 0.5 * torch.rand(len(value), 1, 1, generator=generator))
                held[stem + names[1]] = value
            else:
                held[f"{stem}.{name}"] = {"alpha": 0.5 + value.abs(), "bias": 0.1 * value, "weight": value}[name]
    return held
