"""Orpheus checkpoints in the published form with random weights, which never end a line by themselves."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from bench.hub_checkpoints import write_network, write_tokenizer
from engines.base import Checkpoint
from engines.orpheus.prompt import END_OF_SPEECH
from engines.orpheus.snac import Snac
from engines.orpheus.snac_config import SnacConfig

START = "<|begin_of_text|>"
SPECIAL = {START: 128_000, "<|eot_id|>": 128_009}
ROPE = {
    "rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}  # fmt: skip
SNAC = {
    "sampling_rate": 24_000, "encoder_dim": 48, "encoder_rates": [2, 4, 8, 8], "decoder_dim": 1024,
    "decoder_rates": [8, 8, 4, 2], "attn_window_size": None, "codebook_size": 4096, "codebook_dim": 8,
    "vq_strides": [4, 2, 1], "noise": True, "depthwise": True,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Size:
    """The sizes of a checkpoint, as in the two files config.json."""

    network: dict[str, Any]
    codec: dict[str, Any]


FULL = Size(
    {
        "model_type": "llama", "hidden_size": 3072, "num_hidden_layers": 28, "num_attention_heads": 24,
        "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 8192, "rms_norm_eps": 1e-5, "rope_theta": 500_000.0,
        "rope_scaling": ROPE, "max_position_embeddings": 131_072, "vocab_size": 156_940, "tie_word_embeddings": True,
    },
    SNAC,
)  # fmt: skip
TINY = Size(
    {
        **FULL.network, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
        "head_dim": 16, "intermediate_size": 64,
    },
    SNAC | {"encoder_dim": 4, "decoder_dim": 32},
)  # fmt: skip


def write(folder: Path, size: Size, drawn_on: str = "cpu") -> Checkpoint:
    """Write a language model and its codec."""
    codec = folder / "snac_24khz"
    codec.mkdir(parents=True)
    write_tokenizer(folder, SPECIAL, START)
    write_network(folder, size.network, [END_OF_SPEECH], drawn_on)
    write_snac(codec, size.codec)
    return Checkpoint(str(folder), {"codec": str(codec)})


def write_snac(folder: Path, config: dict[str, Any]) -> None:
    """Write a codec whose weights keep the size of the signal."""
    (folder / "config.json").write_text(json.dumps(config))
    generator, held = torch.Generator().manual_seed(1), {}
    for stem, module in Snac(SnacConfig.read(folder / "config.json")).named_modules():
        for name, parameter in module.named_parameters(recurse=False):
            value = torch.randn(parameter.shape, generator=generator)
            if name == "weight" and isinstance(module, nn.Conv1d | nn.ConvTranspose1d):
                rate = module.stride[0] if isinstance(module, nn.ConvTranspose1d) else 1
                held[f"{stem}.weight_g"] = torch.full((len(value), 1, 1), 0.5 * rate**0.5)
                held[f"{stem}.weight_v"] = value
            else:
                held[f"{stem}.{name}"] = {"alpha": 0.5 + value.abs(), "bias": 0.1 * value, "weight": value}[name]
    torch.save(held, folder / "pytorch_model.bin")
