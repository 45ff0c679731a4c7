"""Validate the averaged codec on utterances that training never uses."""

from typing import Any

import torch
from torch import Tensor, nn

from training.s1.codec import ctc, losses, network, quantization
from training.s1.codec.crops import Crops

COUNT = 32  # utterances
FRAMES = 70  # about three seconds


@torch.no_grad()
def mel_distance(model: Any, crops: Crops) -> float:
    """Return the log-mel distance between the first three seconds of utterances and their copies."""
    real = crops.held_out(COUNT, FRAMES * int(model.frame_length))
    return float(losses.spectral_distance(copies(model, real), real, int(model.sample_rate))[1])


@torch.no_grad()
def letter_error_rate(model: Any, head: nn.Module, crops: Crops, frames: int) -> float:
    """Return the error rate of letters recognised in the semantic codes of utterances with at most `frames` frames."""
    frame = int(model.frame_length)
    chosen = crops.lines_within(crops.held_lines, frames, frame)[:COUNT]
    if not len(chosen):
        return 1.0
    lines = crops.lines(chosen.tolist(), frames, frame)
    with torch.autocast(lines.audio.device.type, torch.bfloat16):
        z = network.encode(model, lines.audio)
    logits = head(quantization.semantic_vectors(model, z.float()))
    wanted = [row[:size] for row, size in zip(lines.letters.tolist(), lines.counts.tolist(), strict=True)]
    return ctc.letter_error_rate(ctc.best_path(logits, lines.frames.tolist()), wanted)


def copies(model: Any, audio: Tensor) -> Tensor:
    """Return copies of audio (b, samples) with all levels. `samples` is a multiple of the frame."""
    z = network.encode(model, audio)
    depth = torch.full((len(z),), len(quantization.levels(model)), device=z.device)
    return network.decode(model, quantization.quantize(model, z, depth)[0])
