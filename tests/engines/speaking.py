"""Speak one line with an engine."""

import numpy as np

from engines.base import Engine, EngineJob, Finished, Spoke
from engines.types import Reference, Request, Samples


def spoken(engine: Engine, voice: Reference) -> Samples:
    """Return the (n,) samples of a line by this voice with a fixed seed."""
    name = engine.info.name
    engine.admit(
        EngineJob("1", Request(text="leave your shoes by the front door.", reference=voice, seed=1, engine=name))
    )
    heard = []
    while True:
        for event in engine.step():
            if isinstance(event, Spoke):
                heard.append(event.audio.samples)
            if isinstance(event, Finished):
                return np.concatenate(heard)
