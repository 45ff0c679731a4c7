"""The encoder of a voice, which converts a clip to global codes and these to a vector. Parameter names equal upstream's."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.spark.bicodec_config import BiCodecConfig
from engines.spark.ecapa import FEATURES, Ecapa
from engines.spark.quantizers import ScalarQuantizer

DEPTH, HEADS, HEAD_DIM, WIDENING = 2, 8, 64, 8 / 3  # upstream's configuration does not have these values


class LatentAttention(nn.Module):
    """Attention of latents to a sequence and to themselves."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.to_q = nn.Linear(dim, HEADS * HEAD_DIM, bias=False)
        self.to_kv = nn.Linear(dim, 2 * HEADS * HEAD_DIM, bias=False)
        self.to_out = nn.Linear(HEADS * HEAD_DIM, dim, bias=False)

    def forward(self, latents: Tensor, x: Tensor) -> Tensor:
        """Attend from latents (b, n, dim) to them and to x (b, t, dim)."""
        k, v = self.to_kv(torch.cat((latents, x), 1)).chunk(2, -1)
        q, k, v = (each.unflatten(-1, (HEADS, HEAD_DIM)).transpose(1, 2) for each in (self.to_q(latents), k, v))
        return self.to_out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class GatedGelu(nn.Module):
    """GEGLU (Shazeer 2020, arXiv:2002.05202): (..., 2 n) -> (..., n)."""

    def forward(self, x: Tensor) -> Tensor:
        """Multiply the first half by GELU of the second half."""
        x, gate = x.chunk(2, -1)
        return F.gelu(gate) * x


def _gated(dim: int) -> nn.Sequential:
    inner = int(dim * WIDENING)
    return nn.Sequential(nn.Linear(dim, 2 * inner), GatedGelu(), nn.Linear(inner, dim))


class Resampler(nn.Module):
    """Summarises a sequence in a fixed number of latents, like Perceiver (Jaegle et al. 2021, arXiv:2103.03206)."""

    def __init__(self, dim: int, latents: int) -> None:
        super().__init__()
        self.proj_context = nn.Linear(FEATURES, dim)
        self.latents = nn.Parameter(torch.zeros(latents, dim))
        self.layers = nn.ModuleList(nn.ModuleList((LatentAttention(dim), _gated(dim))) for _ in range(DEPTH))
        self.norm = nn.ParameterDict({"gamma": torch.ones(dim)})

    def forward(self, x: Tensor) -> Tensor:
        """Summarise (b, t, FEATURES) as (b, latents, dim)."""
        x = self.proj_context(x)
        latents = self.latents.expand(len(x), -1, -1)
        for layer in self.layers:
            attention, network = layer.children()
            latents = latents + attention(latents, x)
            latents = latents + network(latents)
        return F.normalize(latents, dim=-1) * latents.shape[-1] ** 0.5 * self.norm["gamma"]


class SpeakerEncoder(nn.Module):
    """Converts between mel spectrograms, global codes and speaker vectors."""

    def __init__(self, config: BiCodecConfig) -> None:
        super().__init__()
        self.speaker_encoder = Ecapa()
        self.perceiver_sampler = Resampler(config.speaker_dim, config.global_codes)
        self.quantizer = ScalarQuantizer(config.speaker_dim, config.levels)
        self.project = nn.Linear(config.speaker_dim * config.global_codes, config.channels)

    def codes(self, mel: Tensor) -> Tensor:
        """Return the global codes (b, global_codes) of mel spectrograms (b, BANDS, t)."""
        return self.quantizer.nearest(self.perceiver_sampler(self.speaker_encoder(mel).transpose(1, 2)))

    def vectors(self, codes: Tensor) -> Tensor:
        """Return the speaker vectors (b, channels) of global codes (b, global_codes)."""
        return self.project(self.quantizer(codes).transpose(1, 2).flatten(1))
