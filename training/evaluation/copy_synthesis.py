"""Copy synthesis: pass a recording through the vocoder of F5 or the codec of S1, without a speech model."""

from collections.abc import Callable
from pathlib import Path

import torch

from engines.base import Checkpoint
from engines.runtime.background import ended
from engines.runtime.placement import Placement
from training.references import Clip

Copier = Callable[[Clip], Clip]
CPU = Placement(torch.device("cpu"), torch.float32)


def copier(engine: str, folder: Path) -> Copier:
    """Return a function from a clip to its copy."""
    return {"f5": _vocoder, "s1": _codec}[engine](Checkpoint(str(folder)))


def _vocoder(checkpoint: Checkpoint) -> Copier:
    from engines.f5.mel import log_mel
    from engines.f5.model import load

    vocoder = ended(load(checkpoint, CPU)).vocoder
    return lambda clip: vocoder(log_mel(torch.from_numpy(clip))).numpy()


def _codec(checkpoint: Checkpoint) -> Copier:
    from engines.s1.model import load

    codec = ended(load(checkpoint, CPU)).codec

    @torch.inference_mode()
    def copy(clip: Clip) -> Clip:
        made: Clip = codec.decode(codec.encode(torch.from_numpy(clip)))[: len(clip)].numpy()
        return made

    return copy
