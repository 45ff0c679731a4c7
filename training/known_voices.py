"""Write the voices that a checkpoint knows, for its timbre step: `python -m training.known_voices`."""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from engines.f5.mel import HOP, SAMPLE_RATE, log_mel
from engines.timbre import LOWEST, STEP, VOICES
from training.references import KNOWN, SHIPPED, ReferenceClips, checkpoint, read_references

HEARD_S = 3.0  # seconds of each voice


def known_to() -> ReferenceClips:
    """Return the shipped references, and some natural speakers like those of the last training of both engines."""
    return read_references(SHIPPED) | read_references(KNOWN)


def write_known_voices(folder: Path) -> None:
    """Write the first seconds of the voices that a checkpoint knows."""
    frames = round(HEARD_S * SAMPLE_RATE / HOP)
    mels = {name: log_mel(torch.from_numpy(clip))[:frames] for name, (clip, _) in known_to().items()}
    held: dict[str, Any] = {
        name: ((mel - LOWEST) / STEP).round().clamp(0, 255).byte().numpy() for name, mel in mels.items()
    }
    np.savez_compressed(folder / VOICES, **held)


if __name__ == "__main__":
    for engine in ("f5", "s1"):
        write_known_voices(checkpoint(engine))
