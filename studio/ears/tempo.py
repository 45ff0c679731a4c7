"""Compare the length of each word with the length that is expected from its phones and the tempo of the line."""

from collections.abc import Sequence

import numpy as np

from studio.ears.boundaries import units
from studio.ears.vocabulary import TimedWord

UNIT_S = 0.065  # typical length of a unit; see `boundaries.units`
FROM_WORDS = 4  # a line with fewer words is too short to measure a tempo


def length_ratios(words: Sequence[TimedWord]) -> list[float]:
    """Return the length of each word, divided by the expected length of its phones at the tempo of the line."""
    usual = [max(1.0, sum(units(phone.phone) for phone in word.phones)) for word in words]
    lengths = [word.end_s - word.start_s for word in words]
    per_unit = [length / unit for length, unit in zip(lengths, usual, strict=True)]
    tempo = float(np.median(per_unit)) if len(words) >= FROM_WORDS else UNIT_S
    return [one / max(tempo, UNIT_S / 2) for one in per_unit]
