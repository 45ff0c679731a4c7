"""Measure the loudness of several files as if they were played in a row (BS.1770), without keeping their audio."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engines.audio.loudness import SILENCE_DB
from engines.types import Audio

Energies = npt.NDArray[np.float64]  # K-weighted mean square of each 100 ms

STEP_S = 0.1
STEPS = 4  # 100 ms steps in a gating block; a new block begins with every step
ABSOLUTE_GATE_LUFS = -70.0
RELATIVE_GATE_LU = -10.0
OFFSET_DB = -0.691


def energies(audio: Audio) -> Energies:
    """Return the energies of a sound, from which `together_lufs` computes the loudness. Silence fills the last step."""
    from pyloudnorm.iirfilter import IIRfilter  # takes half a second to import

    step = round(STEP_S * audio.sample_rate)
    weighted = audio.samples.astype(np.float64)
    high_shelf = IIRfilter(4.0, 1 / np.sqrt(2), 1500.0, audio.sample_rate, "high_shelf")
    for stage in (high_shelf, IIRfilter(0.0, 0.5, 38.0, audio.sample_rate, "high_pass")):
        weighted = stage.apply_filter(weighted)
    padded = np.zeros(-(-len(weighted) // step) * step)
    padded[: len(weighted)] = weighted
    return np.mean(np.square(padded.reshape(-1, step)), axis=1)


def together_lufs(parts: Sequence[Energies]) -> float:
    """Return the integrated loudness (ITU-R BS.1770-4) of sounds in a row in LUFS; SILENCE_DB for silence."""
    steps = np.concatenate(parts) if parts else np.zeros(0)
    if not len(steps):
        return SILENCE_DB
    width = min(STEPS, len(steps))
    blocks = np.convolve(steps, np.full(width, 1 / width), mode="valid")
    audible = blocks[_lufs(blocks) > ABSOLUTE_GATE_LUFS]
    if not len(audible):
        return SILENCE_DB
    gate = _lufs(np.mean(audible)) + RELATIVE_GATE_LU
    return float(_lufs(np.mean(audible[_lufs(audible) > gate])))


def momentary_lufs(part: Energies) -> float:
    """Return the loudness of the loudest 400 ms in LUFS."""
    width = min(STEPS, len(part))
    return float(_lufs(np.max(np.convolve(part, np.full(width, 1 / width), mode="valid")))) if width else SILENCE_DB


def _lufs(energy: npt.ArrayLike) -> npt.NDArray[np.float64]:
    result: npt.NDArray[np.float64] = OFFSET_DB + 10 * np.log10(np.maximum(energy, 1e-12))
    return result
