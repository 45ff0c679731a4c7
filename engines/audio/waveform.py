"""The outline of a waveform for display."""

import numpy as np

from engines.types import Samples

COLUMNS = 200  # columns of a take's waveform on the page


def peaks(samples: Samples, columns: int = COLUMNS) -> list[float]:
    """Return the loudest sample of each of at most `columns` equal parts, from 0 to 1. `samples` has shape (frames,)."""
    if not len(samples):
        return []
    parts = np.array_split(np.abs(samples), min(columns, len(samples)))
    return [round(min(1.0, float(part.max())), 3) for part in parts]
