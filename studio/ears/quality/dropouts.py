"""Find dropouts: short gaps with abrupt edges inside speech, for example after a lost packet or at a bad seam."""

import numpy as np
import numpy.typing as npt
import scipy

from engines.audio import TimeSpan
from engines.types import Audio

STEP_S = 0.0005
LONGEST_S, SHORTEST_S = 0.12, 0.003  # longer gaps are pauses
EDGE_S = 0.004  # length of speech that is measured at each edge
BESIDE_S = 0.02  # length of speech that is measured on each side
# Highest level of a gap, and lowest level at its edges, relative to the speech on each side; lowest level of that speech
# relative to the whole clip. Chosen in docs/quality.md.
GAP_DB, EDGE_DB, BESIDE_DB = -36.0, -18.0, -24.0
EMPTY_POWER = 1e-12


def find_dropouts(audio: Audio, speech_db: float) -> tuple[TimeSpan, ...]:
    """Return the gaps in order. `speech_db` is the level of the speech."""
    step = max(1, round(STEP_S * audio.sample_rate))
    count = len(audio.samples) // step
    if not count:
        return ()
    samples = audio.samples[: count * step].astype(np.float64) - float(np.mean(audio.samples, dtype=np.float64))
    steps = samples.reshape(count, step)
    power, step_s = np.mean(np.square(steps), axis=1), step / audio.sample_rate
    # A gap keeps a DC offset, so the variance within a step counts, not the power.
    quiet = steps.var(axis=1) < np.maximum(_speech_near(power, step_s) * 10.0 ** (GAP_DB / 10.0), EMPTY_POWER)
    found = []
    for start, end in _runs(quiet):
        length_s = (end - start) * step_s
        within_db = _db(float(steps[start:end].var()))
        if SHORTEST_S <= length_s <= LONGEST_S and _is_cut_out(power, (start, end), step_s, (within_db, speech_db)):
            found.append(TimeSpan(start * step_s, end * step_s))
    return tuple(found)


def _speech_near(power: npt.NDArray[np.float64], step_s: float) -> npt.NDArray[np.float64]:
    """Return the highest power of any 20 ms within LONGEST_S around each step; shape (steps,)."""
    smooth = scipy.ndimage.uniform_filter1d(power, round(BESIDE_S / step_s), mode="constant")
    near: npt.NDArray[np.float64] = scipy.ndimage.maximum_filter1d(smooth, round(LONGEST_S / step_s))
    return near


def _is_cut_out(
    power: npt.NDArray[np.float64], gap: tuple[int, int], step_s: float, levels_db: tuple[float, float]
) -> bool:
    """Return True if speech ends and starts again abruptly at the gap. `levels_db` has the levels of the gap and the speech."""
    (start, end), (within_db, speech_db) = gap, levels_db
    edge, reach = round(EDGE_S / step_s), round(BESIDE_S / step_s)
    before, after = power[max(0, start - reach) : start], power[end : end + reach]
    for flank, at_edge in ((before, before[-edge:]), (after, after[:edge])):
        if len(flank) < reach:
            return False
        level_db, edge_db = _db(float(flank.mean())), _db(float(at_edge.mean()))
        if level_db < max(speech_db + BESIDE_DB, within_db - GAP_DB) or edge_db < level_db + EDGE_DB:
            return False
    return True


def _runs(flags: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    return [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]


def _db(power: float) -> float:
    return 10.0 * float(np.log10(max(power, EMPTY_POWER)))
