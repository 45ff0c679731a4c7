"""Speaker verification: how well a measure of likeness separates recordings of one voice from recordings of two voices."""

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from training.evaluation import timbre
from training.evaluation.speaker_encoder import embed
from training.references import Clip


def verification(recordings: Sequence[tuple[str, Clip]]) -> dict[str, dict[str, float]]:
    """Return the mean likeness within and between voices, and the equal error rate, for both measures."""
    names = [name for name, _ in recordings]
    embeddings = [embed(clip) for _, clip in recordings]
    descriptions = [timbre.describe(clip) for _, clip in recordings]
    return {
        "likeness": _separation(names, lambda i, j: float(embeddings[i] @ embeddings[j])),
        "timbre": _separation(names, lambda i, j: timbre.compare(descriptions[i], descriptions[j])),
    }


def _separation(names: Sequence[str], likeness: Callable[[int, int], float]) -> dict[str, float]:
    same: list[float] = []
    different: list[float] = []
    for i, j in combinations(range(len(names)), 2):
        (same if names[i] == names[j] else different).append(likeness(i, j))
    return {
        "same": round(float(np.mean(same)), 3),
        "different": round(float(np.mean(different)), 3),
        "equal_error": round(equal_error(np.array(same), np.array(different)), 3),
    }


def equal_error(same: NDArray[np.float64], different: NDArray[np.float64]) -> float:
    """Return the rate at which as many pairs of one voice are rejected as pairs of two voices are accepted."""
    limits = np.sort(np.concatenate((same, different)))
    refused = np.array([(same < limit).mean() for limit in limits])
    passed = np.array([(different >= limit).mean() for limit in limits])
    return float(np.min(np.maximum(refused, passed)))
