"""The mels of a corpus on the training device, augmented repeatedly."""

import logging
import time

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engines.f5.mel import BANDS, HOP
from training.corpus import augmentation
from training.corpus.augmentation import Augmentations
from training.corpus.recordings import Recordings
from training.f5.mels import LogMel

log = logging.getLogger(__name__)
ROWS = 128  # utterances that are converted together


class MelBank:
    """The mels of all utterances. During a call, each speaker has `augmentations` different augmentations in turn."""

    def __init__(
        self,
        recordings: Recordings,
        device: torch.device,
        augmentations: int,
        seed: int,
        strength: float = 1.0,
        rooms: bool = False,
    ) -> None:
        self.augmentations, self.device, self.filled = augmentations, device, 1
        self.strength = strength
        self.rooms = rooms  # True adds every utterance a second time, after all others, as if recorded in a room
        self.audio = torch.from_numpy(recordings.audio).to(device)
        self.offsets = torch.from_numpy(recordings.offsets).to(device)
        self.lengths = torch.from_numpy(recordings.lengths).to(device)
        self.speakers = torch.from_numpy(recordings.speakers).long().to(device)
        self.generator = torch.Generator(device).manual_seed(seed)
        self.log_mel = LogMel().to(device)
        self.counts: NDArray[np.int64] = recordings.lengths // HOP + 1  # frames of each utterance
        self.size = int(self.counts.sum())
        self.frames = torch.empty(self.size * (1 + rooms), BANDS, dtype=torch.float16, device=device)
        self._fill()

    def renew(self, share: float) -> None:
        """Fill the bank with the next augmentations, if they are due after this share of the training, 0 to 1."""
        if share * self.augmentations < self.filled:
            return
        began = time.monotonic()
        self._fill()
        self.filled += 1
        log.info("speakers augmented anew in %.1f s", time.monotonic() - began)

    @torch.no_grad()
    def _fill(self) -> None:
        count = int(self.speakers.max()) + 1
        drawn = augmentation.draw(count, self.generator, self.strength) if self.augmentations else None
        self._write(drawn.speaker_alone() if drawn and self.rooms else drawn, 0)
        if self.rooms:
            recorded = drawn or augmentation.draw(count, self.generator, 0.0)
            self._write(recorded, self.size)

    def _write(self, changes: Augmentations | None, first: int) -> None:
        counts = self.lengths // HOP + 1
        starts = torch.cumsum(counts, 0) - counts
        for rows in torch.split(torch.argsort(self.lengths), ROWS):
            mels = self.log_mel(self._samples(rows, changes))
            frame = torch.arange(mels.shape[1], device=self.device)[None, :]
            kept = frame < counts[rows][:, None]
            self.frames[first + (starts[rows][:, None] + frame)[kept]] = mels[kept].half()

    def _samples(self, rows: Tensor, changes: Augmentations | None) -> Tensor:
        """Return float32 samples (b, t) of these utterances. Silence follows short utterances."""
        sample = torch.arange(int(self.lengths[rows].max()), device=self.device)[None, :]
        place = (sample + self.offsets[rows][:, None]).clamp(max=len(self.audio) - 1)
        samples = self.audio[place].float() / 32768 * (sample < self.lengths[rows][:, None])
        if changes is None:
            return samples
        return augmentation.augment(samples, changes.select(self.speakers[rows]), self.generator)
