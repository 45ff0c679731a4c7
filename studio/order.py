"""What the designer asked for, in words that can be stored and shown again."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One request as the page made it. It is stored with its take and restores the page."""

    text: str
    clip_id: str
    start_s: float  # the reference is this window of the clip ...
    end_s: float
    transcript: str  # ... and what is said in exactly that window
    engine: str = "f5"
    seed: int | None = None  # None draws one; the take records which
    speed: float = 1.0
    steps: int | None = None
    guidance: float | None = None
