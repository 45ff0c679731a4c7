"""Measure the silence before, within and after the speech."""

from dataclasses import dataclass

from engines.audio import silences
from engines.types import Audio


@dataclass(frozen=True, slots=True)
class Silences:
    """Lengths of silences in seconds; silences below 0.15 s are ignored."""

    leading_s: float
    trailing_s: float
    inner_s: float  # the longest silence within the speech
    inner_at_s: float | None


def measure_silences(audio: Audio) -> Silences:
    """Return the silences of a clip."""
    gaps = silences(audio)
    leading_s = sum(gap.length_s for gap in gaps if gap.start_s == 0.0)
    trailing_s = sum(gap.length_s for gap in gaps if gap.end_s >= audio.duration_s)
    inner = [gap for gap in gaps if gap.start_s > 0.0 and gap.end_s < audio.duration_s]
    longest = max(inner, key=lambda gap: gap.length_s, default=None)
    if longest is None:
        return Silences(leading_s, trailing_s, 0.0, None)
    return Silences(leading_s, trailing_s, longest.length_s, longest.start_s)
