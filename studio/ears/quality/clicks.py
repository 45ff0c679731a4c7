"""Find clicks: single samples or steps that do not come from the speech around them, for example at a bad seam."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from engines.types import Audio, Samples

# Length of a frame with one prediction, and length of the audio from which the prediction is computed.
FRAME_S, CONTEXT_S = 0.02, 0.1
ORDER_S = 0.0007  # length of the past from which a sample is predicted
REGULARISATION, EMPTY_POWER = 1e-6, 1e-9  # for the autocorrelation
OWN_S, NEAR_S = 0.001, 0.02  # longest click, and distance within which no other sample is as loud
# Least residual of the prediction, relative to the largest residual nearby and to the speech; chosen in docs/quality.md.
ABOVE_NEAR_DB = 12.0
LEVEL_DB = -12.0

Signal = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Click:
    """A click."""

    at_s: float
    above_db: float  # level of the residual above the largest residual nearby


def find_clicks(audio: Audio, speech_db: float) -> tuple[Click, ...]:
    """Return the clicks in order. `speech_db` is the level of the speech."""
    if audio.duration_s < CONTEXT_S:
        return ()
    above_db = _above_near_db(audio, speech_db)
    own = max(1, round(OWN_S * audio.sample_rate))
    loud = np.flatnonzero(above_db >= ABOVE_NEAR_DB)
    highest = scipy.ndimage.maximum_filter1d(above_db, 2 * own + 1)[loud] == above_db[loud]
    return tuple(Click(float(at) / audio.sample_rate, float(above_db[at])) for at in loud[highest])


def _above_near_db(audio: Audio, speech_db: float) -> Signal:
    """Return the level of each sample's residual above the largest residual nearby; shape (samples,)."""
    rate = audio.sample_rate
    # Without the offset, whose start and end would be clicks.
    offset = np.float32(np.mean(audio.samples, dtype=np.float64))
    residual = np.abs(_residual(audio.samples - offset, rate))
    own, near = max(1, round(OWN_S * rate)), round(NEAR_S * rate)
    largest = scipy.ndimage.maximum_filter1d(residual, near - own, mode="constant")
    shift = own + (near - own) // 2
    before = np.concatenate([np.zeros(shift, np.float32), largest[:-shift]])[: len(residual)]
    after = np.concatenate([largest[shift:], np.zeros(shift, np.float32)])[: len(residual)]
    least = np.float32(10.0 ** ((speech_db + LEVEL_DB) / 20.0))
    above: Signal = residual / np.maximum(np.maximum(before, after), least)
    levels: Signal = np.float32(20.0) * np.log10(np.maximum(above, np.float32(1e-6)))
    return levels


def _residual(samples: Samples, rate: int) -> Signal:
    """Return the residual of a linear prediction, which changes every 20 ms; shape (samples,)."""
    size, context, order = round(FRAME_S * rate), round(CONTEXT_S * rate), round(ORDER_S * rate)
    count = -(-len(samples) // size)
    padded = np.zeros(order + count * size, np.float32)
    padded[order : order + len(samples)] = samples
    weights = _predictions(samples, count, size, context, order)
    pasts = np.lib.stride_tricks.sliding_window_view(padded[:-1], order).reshape(count, size, order)
    predicted = np.matmul(pasts, weights[:, :, None])[:, :, 0]
    residual: Signal = (padded[order:].reshape(count, size) - predicted).reshape(-1)[: len(samples)]
    return residual


def _predictions(samples: Samples, count: int, size: int, context: int, order: int) -> Signal:
    """Return the prediction's weights of the last `order` samples, oldest first, for each frame; shape (count, order)."""
    before = (context - size) // 2
    padded = np.zeros(count * size + context, np.float32)
    padded[before : before + len(samples)] = samples
    windows = np.lib.stride_tricks.sliding_window_view(padded, context)[::size][:count]
    spectrum = scipy.fft.rfft(
        windows * np.hanning(context).astype(np.float32), scipy.fft.next_fast_len(context + order)
    )
    power = np.square(spectrum.real) + np.square(spectrum.imag)
    lags = scipy.fft.irfft(power, axis=1)[:, : order + 1].astype(np.float64)
    lags[:, 0] = lags[:, 0] * (1.0 + REGULARISATION) + EMPTY_POWER
    matrix = lags[:, np.abs(np.subtract.outer(np.arange(order), np.arange(order)))]
    weights: Signal = np.linalg.solve(matrix, lags[:, 1:, None])[:, ::-1, 0].astype(np.float32)
    return weights
