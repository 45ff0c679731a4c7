"""Takes as engines would leave them in a history, of any arm, rate and level."""

import numpy as np

from engines.types import Audio, Cost, Reference, Request, Take
from studio.history import History, StoredTake
from studio.order import read_order
from tests.studio.house import speechlike

LINE = "Welcome to the rift."


def sound(seconds: float = 3.0, rate: int = 24_000, gain: float = 1.0, seed: int = 0) -> Audio:
    samples = speechlike(seconds * rate / 24_000, seed)[: int(seconds * rate)] * np.float32(gain)
    return Audio(samples, rate)


def keep(
    history: History,
    session_id: str = "anna",
    *,
    text: str = LINE,
    engine: str = "f5",
    checkpoint: str = "embedded",
    seed: int = 1,
    audio: Audio | None = None,
    **order: object,
) -> StoredTake:
    """Add a take through the history's own door."""
    audio = audio or sound(seed=seed)
    parts = {"text": text, "clip_id": "clip", "start_s": 0.0, "end_s": 4.0, "transcript": "one", **order}
    made = read_order({**parts, "engine": engine, "seed": seed})
    request = Request(text=text, reference=Reference(audio, "one"), seed=seed, engine=engine)
    cost = Cost(queued_s=0.0, ttfa_s=0.1, total_s=1.0, compute_s=1.0, audio_s=audio.duration_s)
    return history.add(session_id, made, Take(request, audio, cost, checkpoint))
