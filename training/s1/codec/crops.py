"""Short crops and whole utterances of the corpus, cut on the training device."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.corpus import augmentation
from training.corpus.recordings import read_recordings
from training.references import RATE_HZ
from training.s1.codec.ctc import GUESSES, classes_of

SCALE = 32768.0
HELD_OUT = 64  # number of utterances that are kept for the figures in the log


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole utterances with their letters. Lengths stay on the CPU, as CTC requires."""

    audio: Tensor  # (b, samples) float32; silence follows short utterances
    frames: Tensor  # (b,) int64, CPU
    letters: Tensor  # (b, s) int64, padded with 0
    counts: Tensor  # (b,) int64, CPU


class Crops:
    """All utterances of a corpus folder as one int16 tensor on the device, with their positions."""

    def __init__(self, folder: Path, device: torch.device, seed: int = 0, augment: float = 0.0) -> None:
        recordings = read_recordings(folder)
        self.texts, offsets, lengths = recordings.texts, recordings.offsets, recordings.lengths
        self.places = offsets, lengths
        self.rng = np.random.default_rng(seed)
        self.device = device
        self.strength = augment
        self.generator = torch.Generator(device).manual_seed(seed) if augment else None
        self.audio = _to_device(recordings.audio, device)
        held = np.unique(np.linspace(0, len(lengths) - 1, min(HELD_OUT, max(1, len(lengths) // 8))).astype(int))
        kept = np.setdiff1d(np.arange(len(lengths)), held)
        self.held = [(int(offsets[i]), int(lengths[i])) for i in held]
        self.held_lines, self.kept_lines = held, kept
        self.offsets = torch.from_numpy(offsets[kept]).to(device)
        self.lengths = torch.from_numpy(lengths[kept]).to(device)
        self.ends = self.lengths.cumsum(0)
        self.samples_total = int(self.ends[-1])

    def draw(self, batch: int, samples: int) -> Tensor:
        """Return crops (batch, samples) float32 in [-1, 1] with random loudness. Each end may have a quarter of silence."""
        place = (torch.rand(batch, device=self.device, dtype=torch.float64) * self.samples_total).long()
        which = torch.searchsorted(self.ends, place, right=True).clamp(max=len(self.ends) - 1)
        margin = samples // 4
        room = (self.lengths[which] - samples).clamp(min=-2 * margin) + 2 * margin
        start = (torch.rand(batch, device=self.device, dtype=torch.float64) * room).long() - margin
        local = start[:, None] + torch.arange(samples, device=self.device)
        inside = (local >= 0) & (local < self.lengths[which][:, None])
        crop = self.audio[(self.offsets[which][:, None] + local).clamp(0, len(self.audio) - 1)]
        crop = self._augmented(crop * inside / SCALE)
        gain_db = torch.rand(batch, 1, device=self.device) * 14 - 10
        return (crop * 10 ** (gain_db / 20)).clamp(-1, 1)

    def _augmented(self, audio: Tensor) -> Tensor:
        """Return the rows, each with a separate augmentation if the training uses augmentations."""
        if self.generator is None:
            return audio.float()
        changes = augmentation.draw(len(audio), self.generator, self.strength).mostly_clean(self.generator)
        return augmentation.augment(audio.float(), changes, self.generator)

    def lines_within(self, numbers: NDArray[np.int64], frames: int, frame: int) -> NDArray[np.int64]:
        """Return the utterances of 8 to `frames` frames with enough CTC guesses for their letters."""
        lengths = self.places[1][numbers]
        short = numbers[(lengths <= frames * frame) & (lengths >= 8 * frame)]
        sizes = np.array([len(self.texts[i]) for i in short]) * 1.15 + 2
        return short[sizes < self.places[1][short] // frame * GUESSES]

    def lines(self, numbers: Sequence[int], frames: int, frame: int) -> Lines:
        """Return whole utterances, by their numbers."""
        letters = [classes_of(self.texts[i]) for i in numbers]
        table = torch.zeros(len(letters), max(map(len, letters)), dtype=torch.long)
        for row, line in zip(table, letters, strict=True):
            row[: len(line)] = torch.tensor(line)
        offsets = torch.from_numpy(self.places[0][list(numbers)])
        lengths = torch.from_numpy(self.places[1][list(numbers)])
        local = torch.arange(frames * frame, device=self.device)
        starts, ends = (values.to(self.device, non_blocking=True)[:, None] for values in (offsets, lengths))
        audio = self.audio[(starts + local).clamp(max=len(self.audio) - 1)] * (local < ends) / SCALE
        counts = torch.tensor([len(line) for line in letters])
        return Lines(
            self._augmented(audio), (lengths + frame - 1) // frame, table.to(self.device, non_blocking=True), counts
        )

    def held_out(self, count: int, samples: int) -> Tensor:
        """Return the starts (count, samples) of utterances that training never uses. Silence follows short utterances."""
        rows = torch.zeros(count, samples)
        for row, (offset, length) in zip(rows, self.held, strict=False):
            clip = self.audio[offset : offset + min(length, samples)]
            row[: len(clip)] = clip.cpu().float() / SCALE
        return rows.to(self.device)


def read_utterances(folder: Path, count: int, seconds: float) -> list[tuple[str, NDArray[np.float32]]]:
    """Return (text, float32 samples) of `count` utterances from all parts of the corpus. None is longer than `seconds`."""
    recordings = read_recordings(folder)
    short = np.flatnonzero(recordings.lengths <= seconds * RATE_HZ)
    chosen = short[np.linspace(0, len(short) - 1, min(count, len(short))).astype(int)]
    spans = [(int(recordings.offsets[i]), int(recordings.lengths[i]), recordings.texts[i]) for i in chosen]
    audio = recordings.audio
    return [(text, np.asarray(audio[start : start + size], np.float32) / SCALE) for start, size, text in spans]


def _to_device(samples: NDArray[np.int16], device: torch.device, block: int = 1 << 28) -> Tensor:
    """Copy the samples in blocks, so that a corpus may be larger than the memory of the host."""
    whole = torch.empty(len(samples), dtype=torch.int16, device=device)
    for start in range(0, len(samples), block):
        part = np.array(samples[start : start + block])
        whole[start : start + len(part)] = torch.from_numpy(part)
    return whole
