"""The vocoder: Vocos (Siuzdak 2023) as defined by the `vocos` package, in a smaller size."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from engines.f5.mel import BANDS, HOP
from training.f5.mels import FFT
from training.references import RATE_HZ

SILENT = -30.0  # logarithm of the magnitude of a silent bin


def describe(dim: int, depth: int) -> dict[str, Any]:
    """Return the package's configuration, as in vocos-mel-24khz."""
    features = {"sample_rate": RATE_HZ, "n_fft": FFT, "hop_length": HOP, "n_mels": BANDS, "padding": "center"}
    backbone = {"input_channels": BANDS, "dim": dim, "intermediate_dim": 3 * dim, "num_layers": depth}
    head = {"dim": dim, "n_fft": FFT, "hop_length": HOP, "padding": "center"}
    return {
        "feature_extractor": {"class_path": "vocos.feature_extractors.MelSpectrogramFeatures", "init_args": features},
        "backbone": {"class_path": "vocos.models.VocosBackbone", "init_args": backbone},
        "head": {"class_path": "vocos.heads.ISTFTHead", "init_args": head},
    }


@torch.no_grad()
def silence_top(state: Mapping[str, Tensor]) -> None:
    """Set the magnitude of the highest frequency to zero, in place. No mel band covers it, so a head learns it badly."""
    state["head.out.weight"][FFT // 2] = 0.0
    state["head.out.bias"][FFT // 2] = SILENT


class TrainableVocoder(nn.Module):
    """Backbone and head with the parameter names of the package; mel (b, n, 100) -> samples (b, (n - 1) * 256)."""

    def __init__(self, dim: int, depth: int) -> None:
        from vocos.heads import ISTFTHead
        from vocos.models import VocosBackbone

        super().__init__()
        description = describe(dim, depth)
        self.backbone = VocosBackbone(**description["backbone"]["init_args"])
        self.head = ISTFTHead(**description["head"]["init_args"])

    def forward(self, mel: Tensor) -> Tensor:
        return self.head(self.backbone(mel.transpose(1, 2)).float())
