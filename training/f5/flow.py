"""The flow-matching loss of F5-TTS (Chen et al. 2024): infill masked mel frames from text and the frames around them."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from engines.f5.network import DiT
from training.f5.batches import MelBatch

AUDIO_DROP, BOTH_DROP = 0.1, 0.15  # share of rows without reference, and share without reference and text
SWAYED = 0.5  # share of rows whose times have the density of sampling, which is highest near the noise


@dataclass(frozen=True, slots=True)
class FlowTask:
    """Rows whose masked frames are to be generated; every row has n frames."""

    target: Tensor  # (b, n, mel)
    noise: Tensor  # (b, n, mel)
    masked: Tensor  # (b, n) bool
    tokens: Tensor  # (b, t)

    def at(self, times: Tensor) -> Tensor:
        """Return the rows at the times (b,) on their path from noise to mel."""
        share = times[:, None, None]
        return (1 - share) * self.noise + share * self.target

    def context(self, model: DiT, drop_audio: Tensor, drop_text: Tensor) -> Tensor:
        hidden = self.masked | drop_audio[:, None]
        return model.context(self.target * ~hidden[..., None], self.tokens, drop_text)

    def distance(self, velocity: Tensor, wanted: Tensor) -> Tensor:
        error = (velocity.float() - wanted).square().mean(-1)
        return (error * self.masked).sum() / self.masked.sum()


def initialise(model: DiT) -> None:
    """Initialise the weights as upstream does: every AdaLN projection and the output layer are zero."""
    for name, parameter in model.named_parameters():
        if name.rpartition(".")[0].endswith(("attn_norm.linear", "norm_out.linear", "proj_out")):
            nn.init.zeros_(parameter)
    nn.init.normal_(model.text_embed.text_embed.weight, std=0.5)


def draw(bank: Tensor, batch: MelBatch, generator: torch.Generator) -> FlowTask:
    target = bank[batch.frames].float()
    place = torch.arange(target.shape[1], device=target.device)[None, :]
    masked = (place >= batch.spans[:, :1]) & (place < batch.spans[:, 1:])
    noise = torch.randn(target.shape, device=target.device, generator=generator)
    return FlowTask(target, noise, masked, batch.tokens)


def chances(rows: int, generator: torch.Generator) -> Tensor:
    """Return uniform numbers (rows,) in [0, 1)."""
    return torch.rand(rows, device=generator.device, generator=generator)


def spread(rows: int, generator: torch.Generator) -> Tensor:
    """Return (rows,) numbers, one from each of `rows` equal slices of [0, 1], in random order: less noise than free draws."""
    slices = torch.randperm(rows, device=generator.device, generator=generator)
    return (slices + chances(rows, generator)) / rows


def sway(times: Tensor) -> Tensor:
    """Bend times towards 0, as the sampler does by default."""
    return 1 - torch.cos(torch.pi / 2 * times)


def loss(model: DiT, bank: Tensor, batch: MelBatch, generator: torch.Generator) -> Tensor:
    """Return the mean squared error of the velocity over the masked frames."""
    task = draw(bank, batch, generator)
    rows = len(task.target)
    times = spread(rows, generator)
    times = torch.where(chances(rows, generator) < SWAYED, sway(times), times)
    drop_text = chances(rows, generator) < BOTH_DROP
    drop_audio = drop_text | (chances(rows, generator) < AUDIO_DROP)
    with torch.autocast(bank.device.type, torch.bfloat16, enabled=bank.is_cuda):
        velocity = model(task.at(times), task.context(model, drop_audio, drop_text), model.modulation(times))
    return task.distance(velocity, task.target - task.noise)
