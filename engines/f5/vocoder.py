"""From mel to sound: a Vocos of the shape its own configuration gives (Siuzdak 2023, arXiv:2306.00814)."""

from pathlib import Path
from typing import Any

import torch
import yaml
from torch import Tensor, nn
from vocos.heads import ISTFTHead
from vocos.models import VocosBackbone

from engines.errors import BadCheckpoint
from engines.f5.mel import BANDS, HOP


class Vocoder(nn.Module):
    """Vocos, from log-mel to samples."""

    def __init__(self, backbone: dict[str, Any], head: dict[str, Any]) -> None:
        super().__init__()
        self.backbone = VocosBackbone(**backbone)
        self.head = ISTFTHead(**head)

    @classmethod
    def from_config(cls, path: Path) -> "Vocoder":
        """Read the package's own configuration file. Raises BadCheckpoint for another kind of vocoder."""
        config = yaml.safe_load(path.read_text())
        known = {"backbone": "vocos.models.VocosBackbone", "head": "vocos.heads.ISTFTHead"}
        for part, name in known.items():
            if config.get(part, {}).get("class_path") != name:
                raise BadCheckpoint(f"{path.name}: the vocoder's {part} is not {name}; only mel Vocos models are known")
        backbone, head = config["backbone"]["init_args"], config["head"]["init_args"]
        if backbone["input_channels"] != BANDS or head["hop_length"] != HOP:
            raise BadCheckpoint(f"{path.name}: F5-TTS needs {BANDS} bands and a hop of {HOP} samples")
        return cls(backbone, head)

    @torch.inference_mode()
    def forward(self, mel: Tensor) -> Tensor:
        """(n, 100) log-mel -> (n * 256 - 256 or n * 256,) samples, by the head's padding."""
        device = self.head.out.weight.device
        wave: Tensor = self.head(self.backbone(mel.float().T[None].to(device)))
        return wave[0]
