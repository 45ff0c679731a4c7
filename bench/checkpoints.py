"""Checkpoints in the real format, with random weights that make every block matter."""

from pathlib import Path

import torch
import yaml
from safetensors.torch import save_file
from torch import nn
from vocos.heads import ISTFTHead
from vocos.models import VocosBackbone

ARCH = {
    "dim": 128, "depth": 3, "heads": 4, "dim_head": 32, "ff_mult": 2, "text_dim": 64, "conv_layers": 2,
    "text_mask_padding": True, "qk_norm": None, "pe_attn_head": None,
}  # fmt: skip
SYMBOLS = " abcdefghijklmnopqrstuvwxyz',.?!-"
VOCODER = {
    "feature_extractor": {
        "class_path": "vocos.feature_extractors.MelSpectrogramFeatures",
        "init_args": {"n_mels": 100},
    },
    "backbone": {
        "class_path": "vocos.models.VocosBackbone",
        "init_args": {"input_channels": 100, "dim": 32, "intermediate_dim": 64, "num_layers": 2},
    },
    "head": {"class_path": "vocos.heads.ISTFTHead", "init_args": {"dim": 32, "n_fft": 1024, "hop_length": 256}},
}


def redraw(network: nn.Module, seed: int = 0, drawn_on: str = "cpu") -> nn.Module:
    """Set every parameter to a random value, because initial zeros (AdaLN, output layers) would hide mistakes."""
    generator = torch.Generator(drawn_on).manual_seed(seed)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            # Scaling by fan-in keeps activations in range; weights of norms and scales are around one.
            width = parameter[0].numel() if parameter.dim() > 1 else 4
            parameter.copy_(torch.randn(parameter.shape, generator=generator, device=drawn_on) / width**0.5)
            if parameter.dim() == 1 and name.endswith("weight"):
                parameter.add_(1.0)
    return network


def write(folder: Path, network: nn.Module, arch: dict[str, object], seed: int = 0) -> Path:
    """Write a checkpoint folder in upstream's format, with the transformer's weights under their EMA names."""
    (folder / "vocos").mkdir(parents=True)
    state = {f"ema_model.transformer.{name}": value.clone() for name, value in network.state_dict().items()}
    save_file(state, folder / "model_1.safetensors")
    (folder / "vocab.txt").write_text("\n".join(SYMBOLS) + "\n")
    (folder / "config.yaml").write_text(yaml.safe_dump({"model": {"arch": arch}, "inference": {"steps": 5}}))
    (folder / "vocos" / "config.yaml").write_text(yaml.safe_dump(VOCODER))
    vocoder = nn.Module()
    vocoder.backbone = VocosBackbone(**VOCODER["backbone"]["init_args"])  # type: ignore[arg-type]
    vocoder.head = ISTFTHead(**VOCODER["head"]["init_args"])  # type: ignore[arg-type]
    torch.manual_seed(seed)
    save_file(vocoder.state_dict(), folder / "vocos" / "model.safetensors")
    return folder
