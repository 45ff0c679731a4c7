"""An independent speaker encoder: Resemblyzer, with the model of its wheel. Clips are at 24 kHz."""

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.references import RATE_HZ, Clip

Embedding = NDArray[np.float32]  # (256,) unit vector of a speaker; the dot product of two vectors is their likeness


@functools.cache
def _encoder() -> Any:
    from resemblyzer import VoiceEncoder

    return VoiceEncoder("cpu", verbose=False)


def embed(clip: Clip) -> Embedding:
    """Return the speaker embedding of a clip."""
    from resemblyzer import preprocess_wav

    found: Embedding = _encoder().embed_utterance(preprocess_wav(clip, source_sr=RATE_HZ))
    return found


def nearest(clip: Clip, embeddings: Mapping[str, Embedding]) -> str:
    """Return the name of the speaker that is most similar to the clip."""
    own = embed(clip)
    return max(embeddings, key=lambda name: float(own @ embeddings[name]))
