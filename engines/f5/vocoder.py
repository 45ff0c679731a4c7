"""Vocos, which converts mel to audio, in the shape of its configuration (Siuzdak 2023, arXiv:2306.00814).

Parameter names equal those of the `vocos` package. The package is not imported, because that takes longer than reading
weights.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import torch
import torch.nn.functional as F
import yaml
from torch import Tensor, nn

from engines.errors import BadCheckpoint
from engines.f5.mel import BANDS, HOP

LOUDEST = 100.0  # largest magnitude of a frequency
KNOWN = {"backbone": "vocos.models.VocosBackbone", "head": "vocos.heads.ISTFTHead"}


class Vocoder(nn.Module):
    """Vocos: converts log-mel to samples."""

    def __init__(self, backbone: Mapping[str, Any], head: Mapping[str, Any]) -> None:
        """Build the network from the package's arguments. Raises TypeError for another kind of Vocos."""
        super().__init__()
        self.backbone = Backbone(**backbone)
        self.head = Head(**head)

    @classmethod
    def from_config(cls, path: Path) -> "Vocoder":
        """Read the package's configuration file. Raises BadCheckpoint for another kind of vocoder."""
        config = yaml.safe_load(path.read_text())
        for part, name in KNOWN.items():
            if config.get(part, {}).get("class_path") != name:
                raise BadCheckpoint(f"{path.name}: the vocoder's {part} is not {name}; use a mel Vocos model")
        backbone, head = config["backbone"]["init_args"], config["head"]["init_args"]
        if backbone["input_channels"] != BANDS or head["hop_length"] != HOP:
            raise BadCheckpoint(f"{path.name}: F5-TTS needs {BANDS} bands and a hop of {HOP} samples")
        if backbone.get("adanorm_num_embeddings") is not None:
            raise BadCheckpoint(f"{path.name}: the vocoder's norms depend on a class; use a mel Vocos model")
        try:
            return cls(backbone, head)
        except (TypeError, KeyError) as error:
            raise BadCheckpoint(f"{path.name}: {error}; use a mel Vocos model") from error

    @torch.inference_mode()
    def forward(self, mel: Tensor) -> Tensor:
        """Convert a (n, 100) log-mel to (n * 256 - 256 or n * 256,) samples, depending on the head's padding."""
        device = self.head.out.weight.device
        wave: Tensor = self.head(self.backbone(mel.float().T[None].to(device)))
        return wave[0]


class Backbone(nn.Module):
    """ConvNeXt backbone: (b, input_channels, n) -> (b, n, dim)."""

    def __init__(
        self,
        input_channels: int,
        dim: int,
        intermediate_dim: int,
        num_layers: int,
        layer_scale_init_value: float | None = None,  # only for training
        adanorm_num_embeddings: None = None,
    ) -> None:
        super().__init__()
        self.embed = nn.Conv1d(input_channels, dim, 7, padding=3)
        self.norm = nn.LayerNorm(dim, eps=1e-6)
        self.convnext = nn.ModuleList(VocoderBlock(dim, intermediate_dim) for _ in range(num_layers))
        self.final_layer_norm = nn.LayerNorm(dim, eps=1e-6)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(self.embed(x).mT).mT
        for block in self.convnext:
            x = block(x)
        normed: Tensor = self.final_layer_norm(x.mT)
        return normed


class VocoderBlock(nn.Module):
    """A ConvNeXt block: (b, dim, n) -> (b, dim, n)."""

    def __init__(self, dim: int, intermediate_dim: int) -> None:
        super().__init__()
        self.dwconv = nn.Conv1d(dim, dim, 7, padding=3, groups=dim)
        self.norm = nn.LayerNorm(dim, eps=1e-6)
        self.pwconv1 = nn.Linear(dim, intermediate_dim)
        self.pwconv2 = nn.Linear(intermediate_dim, dim)
        self.gamma = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        change = self.pwconv2(F.gelu(self.pwconv1(self.norm(self.dwconv(x).mT))))
        return x + (self.gamma * change).mT


class Head(nn.Module):
    """Inverse STFT head, magnitudes and phases to samples: (b, n, dim) -> (b, samples)."""

    def __init__(self, dim: int, n_fft: int, hop_length: int, padding: Literal["same", "center"] = "same") -> None:
        """Build the head; a frame is at the centre of its hop, or, with `center`, at its start."""
        super().__init__()
        self.out = nn.Linear(dim, n_fft + 2)
        self._size, self._hop = n_fft, hop_length
        self._cut = {"same": (n_fft - hop_length) // 2, "center": n_fft // 2}[padding]
        self.istft = SynthesisWindow(n_fft)

    def forward(self, x: Tensor) -> Tensor:
        magnitude, phase = self.out(x).mT.chunk(2, 1)
        spectrum = torch.polar(magnitude.exp().clamp(max=LOUDEST), phase)
        window = self.istft.window[:, None]
        frames = torch.fft.irfft(spectrum, self._size, 1) * window
        return self._overlapped(frames) / self._overlapped(window.square().expand(1, -1, frames.shape[2]))

    def _overlapped(self, frames: Tensor) -> Tensor:
        """Overlap-add (b, n_fft, n) frames to (b, samples), without the incomplete edges."""
        length = (frames.shape[2] - 1) * self._hop + self._size
        whole = F.fold(frames, (1, length), (1, self._size), stride=(1, self._hop))
        return whole[:, 0, 0, self._cut : length - self._cut]


class SynthesisWindow(nn.Module):
    """The window of the inverse STFT."""

    window: Tensor

    def __init__(self, size: int) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(size))
