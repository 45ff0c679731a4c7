"""The frames of a codec."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]  # (codes,) of one decode step or one frame
PACKETS = (3, 6, 12, 24)  # frames decoded at once: a small first packet is early, later ones are more efficient

NO_CODES: Codes = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameFormat:
    """The frames of a codec."""

    sample_rate: int  # Hz
    hop: int  # samples of a frame
    code_sizes: Sequence[int]  # sizes of the codebooks; their number is the number of codes of a frame
    steps_per_frame: int = 1  # decode steps of a frame
    packets: Sequence[int] = PACKETS  # frames of the first packet, the second and so on; the last size repeats
    many_rows: int = 1 << 30  # from this number on, the first packet has `more` additional frames
    more: int = 1

    def first_packet(self, rows: int) -> int:
        """Return the frames of the first packet of a request that starts beside this many rows."""
        return self.packets[0] + (self.more if rows >= self.many_rows else 0)

    @property
    def frame_rate(self) -> float:
        """Return the frames of a second."""
        return self.sample_rate / self.hop

    @property
    def step_rate(self) -> float:
        """Return the decode steps, and so the positions, of a second of speech."""
        return self.frame_rate * self.steps_per_frame
