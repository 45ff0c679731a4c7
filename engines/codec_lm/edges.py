"""Trim the silence around streamed speech, without delaying speech."""

import numpy as np

from engines.types import Samples

FRAME_S = 0.005
BELOW_VOICE_DB = 40.0  # silence is this far below the reference's level
LEAD_S = 0.03  # kept before speech, unless a pause there is exact
TAIL_S = 0.15  # kept after the last word


class Edges:
    """Accepts the audio of a group packet by packet; silence is held until it is known what follows."""

    def __init__(self, sample_rate: int, level_rms: float, exact_start: bool) -> None:
        """Create the trimmer; `level_rms` is the voice's level; `exact_start` leaves no silence before the first word."""
        self._frame = round(FRAME_S * sample_rate)
        self._threshold = max(1e-4, level_rms * 10 ** (-BELOW_VOICE_DB / 20))
        # In whole frames, so that the result does not depend on the packet sizes.
        self._lead = 0 if exact_start else round(LEAD_S / FRAME_S) * self._frame
        self._tail = round(TAIL_S * sample_rate)
        self._held = np.empty(0, np.float32)
        self._heard = False  # True once speech has started

    def add(self, samples: Samples) -> Samples:
        """Add (n,) samples; return the (m,) samples that are ready to be played."""
        held = np.concatenate((self._held, samples))
        whole = len(held) // self._frame * self._frame
        loud = np.flatnonzero(self._rms(held[:whole]) > self._threshold)
        start, end = 0, 0
        if len(loud):
            end = (int(loud[-1]) + 1) * self._frame
            if not self._heard:
                start = max(0, int(loud[0]) * self._frame - self._lead)
                self._heard = True
        elif not self._heard:
            start = end = max(0, whole - self._lead)
        self._held = held[end:]
        return held[start:end]

    def end(self, exact: bool) -> Samples:
        """Return the rest: the last word's tail, or nothing before an exact pause."""
        held, self._held = self._held, np.empty(0, np.float32)
        if exact or not self._heard:
            return np.empty(0, np.float32)
        tail = held[: self._tail].copy()
        tail *= np.linspace(1, 0, len(tail), dtype=np.float32)
        return np.concatenate((tail, np.zeros(self._tail - len(tail), np.float32)))

    def _rms(self, samples: Samples) -> Samples:
        frames = samples.reshape(-1, self._frame)
        rms: Samples = np.sqrt(np.mean(np.square(frames), axis=1))
        return rms


class Untrimmed:
    """Has the methods of `Edges` and keeps all audio: the silence of a recorded performance belongs to it."""

    def add(self, samples: Samples) -> Samples:
        """Return the samples."""
        return samples

    def end(self, exact: bool) -> Samples:
        """Return nothing."""
        return np.empty(0, np.float32)
