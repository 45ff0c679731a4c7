"""The voices that a checkpoint knows, as its timbre step reads them: `python -m training.known_voices`."""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from engines.f5.mel import HOP, SAMPLE_RATE, log_mel
from engines.timbre import LOWEST, STEP, VOICES
from training.references import KNOWN, SHIPPED, ReferenceClips, checkpoint, read_references

HEARD_S = 3.0  # of each


def known_to(engine: str) -> ReferenceClips:
    """The shipped references, since training heard their synthesizers' voices as other speakers; F5 heard Kokoro's as well."""
    return read_references(SHIPPED) | (read_references(KNOWN) if engine == "f5" else {})


def write_known_voices(folder: Path, engine: str) -> None:
    """Write the first seconds of the voices that an engine's checkpoint knows."""
    frames = round(HEARD_S * SAMPLE_RATE / HOP)
    mels = {name: log_mel(torch.from_numpy(clip))[:frames] for name, (clip, _) in known_to(engine).items()}
    held: dict[str, Any] = {
        name: ((mel - LOWEST) / STEP).round().clamp(0, 255).byte().numpy() for name, mel in mels.items()
    }
    np.savez_compressed(folder / VOICES, **held)


if __name__ == "__main__":
    for engine in ("f5", "s1"):
        write_known_voices(checkpoint(engine), engine)
