"""Join the segments of a take: exact pauses, natural gaps, cross-faded seams, clean ends."""

from dataclasses import dataclass

import numpy as np

from engines.audio import cross_fade, fade, speech_span
from engines.types import Samples

LEAD_S = 0.03  # silence kept before speech, unless a pause there is exact
SEAM_S = 0.015  # cross-fade between segments
EDGE_S = 0.005  # fade at an exact pause; short enough to keep the pause exact
TAIL_S = {"sentence": 0.22, "clause": 0.10, "word": 0.03, "end": 0.15}  # silence kept or added after speech


@dataclass(frozen=True, slots=True)
class Piece:
    """A segment of text with the pauses around it."""

    text: str
    pause_before_s: float = 0.0  # exact silence; 0 = a natural gap after the previous segment
    pause_after_s: float = 0.0
    ending: str = "end"  # a key of TAIL_S
    frames: int = 0  # mel frames of new speech

    @property
    def is_silence(self) -> bool:
        """Return True if the segment has no text."""
        return not self.text


class Joiner:
    """Accepts the waveforms of a request's segments in order and returns the audio that can be played."""

    def __init__(self, sample_rate: int) -> None:
        self._rate = sample_rate
        self._held = np.empty(0, np.float32)  # end of the last waveform, for a cross-fade with the next

    def add(self, piece: Piece, wave: Samples) -> Samples:
        """Add the (frames,) samples of a segment; return the (m,) samples that are ready to be played."""
        pause = np.zeros(self._count(piece.pause_after_s), np.float32)
        if piece.is_silence:
            return pause
        body = self._shaped(piece, wave)
        if piece.pause_after_s or piece.ending == "end":
            return np.concatenate((self._joined(body), pause))
        whole = self._joined(body)
        kept = max(0, len(whole) - self._count(SEAM_S))
        self._held = whole[kept:]
        return whole[:kept]

    def _shaped(self, piece: Piece, wave: Samples) -> Samples:
        """Cut a waveform to its speech, with the silence around it that the segment needs."""
        start, end = speech_span(wave, self._rate)
        lead = 0 if piece.pause_before_s else self._count(LEAD_S)
        tail = 0 if piece.pause_after_s else self._count(TAIL_S[piece.ending])
        cut = wave[max(0, start - lead) : end + tail]
        cut = fade(cut, self._rate, in_s=EDGE_S, out_s=EDGE_S)
        return np.concatenate((cut, np.zeros(max(0, end + tail - len(wave)), np.float32)))

    def _joined(self, body: Samples) -> Samples:
        held, self._held = self._held, np.empty(0, np.float32)
        seam = min(len(held), len(body))
        return np.concatenate(
            (held[: len(held) - seam], cross_fade(held[len(held) - seam :], body[:seam]), body[seam:])
        )

    def _count(self, seconds: float) -> int:
        return round(seconds * self._rate)
