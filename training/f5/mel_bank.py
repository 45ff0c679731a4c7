"""The recordings' mels on the device that trains, said by other persons every now and then."""

import logging
import time

import torch
from torch import Tensor

from training.corpus import augmentation
from training.f5.mels import log_mels
from training.f5.recordings import Recordings

log = logging.getLogger(__name__)


class Studio:
    """All utterances of one speaker are said by one person at a time, `count` of them one after the other."""

    def __init__(self, recordings: Recordings, device: torch.device, count: int, seed: int) -> None:
        self.count, self.device, self.came = count, device, 1
        self.audio = recordings.audio.to(device)
        self.offsets, self.lengths = torch.from_numpy(recordings.offsets), torch.from_numpy(recordings.lengths)
        self.speakers = torch.from_numpy(recordings.speakers).long().to(device)
        self.generator = torch.Generator(device).manual_seed(seed)

    def record(self, bank: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Mels of all utterances, one behind another, and the frames of each."""
        cast = augmentation.draw(int(self.speakers.max()) + 1, self.generator) if self.count else None

        def change(rows: Tensor, samples: Tensor) -> Tensor:
            if cast is None:
                return samples
            return augmentation.change(samples, cast.pick(self.speakers[rows.to(self.device)]), self.generator)

        return log_mels(self.audio, self.offsets, self.lengths, self.device, change, bank)

    def renew(self, bank: Tensor, share: float) -> None:
        """Fill the bank with the next persons where, after this share of a call, their turn has come."""
        if share * self.count < self.came:
            return
        began = time.monotonic()
        self.record(bank)
        self.came += 1
        log.info("other persons after %.1f s", time.monotonic() - began)
