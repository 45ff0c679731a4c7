"""The flow-matching loss of F5-TTS (Chen et al. 2024): infill masked mel frames from text and the frames around them."""

import torch
from torch import Tensor, nn

from assets.voices.f5.batches import Batch
from engines.f5.network import DiT

AUDIO_DROP, BOTH_DROP = 0.3, 0.2  # share of rows whose reference, or reference and text, is hidden


def initialise(model: DiT) -> None:
    """Upstream's start: every AdaLN projection and the output layer are zero."""
    layers = [block.attn_norm.linear for block in model.transformer_blocks] + [model.norm_out.linear, model.proj_out]
    for layer in layers:
        nn.init.zeros_(layer.weight)
        nn.init.zeros_(layer.bias)
    nn.init.normal_(model.text_embed.text_embed.weight, std=0.5)


def loss(model: DiT, bank: Tensor, batch: Batch, generator: torch.Generator) -> Tensor:
    """Mean squared error of the velocity over the masked frames; every row fills its n frames."""
    target = bank[batch.frames].float()
    rows, frames, _ = target.shape
    device = target.device
    # One time from each of `rows` equal slices of [0, 1]: less noise than independent draws.
    times = (torch.arange(rows, device=device) + torch.rand(rows, device=device, generator=generator)) / rows
    noise = torch.randn(target.shape, device=device, generator=generator)
    share = times[:, None, None]
    place = torch.arange(frames, device=device)[None, :]
    masked = (place >= batch.spans[:, :1]) & (place < batch.spans[:, 1:])
    chance = torch.rand(2, rows, device=device, generator=generator)
    drop_text = chance[0] < BOTH_DROP
    drop_audio = drop_text | (chance[1] < AUDIO_DROP)
    lengths = torch.full((rows,), frames, device=device)
    order = torch.randperm(rows, device=device, generator=generator)
    times, share = times[order], share[order]
    with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        context = model.context(target * ~masked[..., None], batch.tokens, lengths, drop_audio, drop_text)
        velocity = model((1 - share) * noise + share * target, context, model.modulation(times))
    error = (velocity.float() - (target - noise)).square().mean(-1)
    return (error * masked).sum() / masked.sum()
