"""Find clipping: at full scale, or at a lower level where a limiter flattened the peaks."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engines.types import Audio, Samples

FULL_SCALE = 0.995
RUN = 3  # samples in a row at full scale; shorter runs are natural peaks
FLAT_RUN_S = 0.000125  # longer than the natural tops of peaks; a run also has at least RUN samples
FLAT = 0.004  # largest difference of neighbours in a flat peak, relative to the highest peak
NEAR_PEAK = 0.97
FLAT_RUNS = 8  # minimum number of flat peaks: a natural voice has few peaks that are as high as its highest
LEAST_PEAK = 0.05  # rounding to 16 bits makes peaks below this level flat


@dataclass(frozen=True, slots=True)
class Clipping:
    """The samples that are clipped."""

    fraction: float  # of all samples
    longest: int  # longest run of clipped samples
    first_s: float | None  # where the first run begins
    at_full_scale: bool  # False if the level of the peaks was reduced later, or a limiter flattened them


def measure_clipping(audio: Audio) -> Clipping:
    """Return the clipping at full scale, or else the flat peaks."""
    starts, lengths = _runs(full_scale(audio.samples))
    long = lengths >= RUN
    if long.any():
        return _clipping(audio, starts[long], lengths[long], at_full_scale=True)
    starts, lengths = _runs(_flat_peaks(audio.samples))
    long = lengths >= max(RUN, round(FLAT_RUN_S * audio.sample_rate))
    if long.sum() >= FLAT_RUNS:
        return _clipping(audio, starts[long], lengths[long], at_full_scale=False)
    return Clipping(0.0, 0, None, at_full_scale=False)


def full_scale(samples: Samples) -> npt.NDArray[np.bool_]:
    """Return True for each sample at full scale."""
    over: npt.NDArray[np.bool_] = np.abs(samples) >= FULL_SCALE
    return over


def _flat_peaks(samples: Samples) -> npt.NDArray[np.bool_]:
    """Return True for each sample that is near the highest or lowest sample and nearly equals a neighbour."""
    flat = np.zeros(len(samples), np.bool_)
    for signed in (samples, -samples):
        peak = float(signed.max(initial=0.0))
        if peak >= LEAST_PEAK:
            level = np.abs(np.diff(signed, prepend=np.inf)) <= FLAT * peak
            level[:-1] |= level[1:]
            flat |= (signed >= NEAR_PEAK * peak) & level
    return flat


def _clipping(
    audio: Audio, starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], *, at_full_scale: bool
) -> Clipping:
    fraction = float(lengths.sum()) / len(audio.samples)
    return Clipping(fraction, int(lengths.max()), int(starts[0]) / audio.sample_rate, at_full_scale)


def _runs(flags: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the starts and the lengths of the runs of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    return edges[::2].astype(np.int64), (edges[1::2] - edges[::2]).astype(np.int64)
