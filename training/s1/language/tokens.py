"""The corpus as input of the language model: the codes of every utterance, and the letter that each frame has reached."""

import logging
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.corpus import augmentation
from training.corpus.recordings import read_recordings
from training.parallel import ProcessGroup
from training.s1.codec import ctc, network, quantization, weights
from training.s1.codec.crops import Crops
from training.s1.language.alignment import carried_head, fit_head, reached_letters

log = logging.getLogger(__name__)
BATCH_FRAMES = 32_768  # frames that are encoded together
ROUND = 16  # utterances of a batch are padded to a multiple of this number of frames
Change = Callable[[NDArray[np.int64], Tensor], Tensor]
Codes = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Tokens:
    codes: Codes  # (all frames, codebooks)
    recorded: Codes  # (all frames, codebooks) of the same utterances, as if recorded for a reference
    reached: NDArray[np.int16]  # (all frames,) number of letters that have begun by the end of each frame
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]  # frames of each utterance
    texts: list[str]
    letters: list[list[int]]
    speakers: NDArray[np.int32]
    head: ctc.CTCHead  # recognizes letters in the codes

    def codes_of(self, utterance: int) -> Codes:
        """Return the codes (t, codebooks) of an utterance."""
        start = self.starts[utterance]
        return self.codes[start : start + self.counts[utterance]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodingOptions:
    """How speakers are changed before their lines are encoded, and how long a head is trained if the codec has none."""

    strength: float = 0.0  # strength of the augmentation; 0 = none
    count: int = 1  # augmentations of every speaker
    plain: bool = False  # True adds the speakers without augmentation
    recorded: bool = False  # True adds references with room, breath and microphone
    head_steps: int = 1500


def encode_corpus(
    data: Path, codec: Path, group: ProcessGroup, device: torch.device, options: EncodingOptions
) -> Tokens:
    """Encode the corpus, once for every variant of its speakers.

    Each process encodes a part. All processes then read all parts from `data`, where the codes stay for later calls.
    """
    began = time.monotonic()
    encoder = CorpusEncoder(data, codec, group, device)
    rows = [(encoder.codes(change), encoder.codes(other)) for change, other in encoder.changes(options)]
    codes, recorded = (np.concatenate(each) for each in zip(*rows, strict=True))
    times, crops = len(rows), encoder.crops
    counts = np.tile(encoder.counts, times)
    letters = [ctc.classes_of(text) for text in crops.texts] * times
    starts = np.cumsum(counts) - counts
    head = carried_head(codec, encoder.model) or fit_head(
        encoder.model, codes[: encoder.counts.sum()], encoder.counts, letters, options.head_steps
    )
    group.broadcast(*(parameter.data for parameter in head.parameters()))
    reached = reached_letters(head, encoder.model, codes, counts, letters)
    log.info("%d frames of %d utterances are codes after %.0f s", len(codes), len(counts), time.monotonic() - began)
    speakers = np.concatenate([encoder.speakers * times + number for number in range(times)])
    return Tokens(codes, recorded, reached, starts, counts, crops.texts * times, letters, speakers, head)


class CorpusEncoder:
    """Encodes all utterances of a corpus, optionally with changed speakers."""

    def __init__(self, data: Path, codec: Path, group: ProcessGroup, device: torch.device) -> None:
        self.data, self.group, self.device, self.checksum = data, group, device, _checksum(codec)
        model: Any = weights.load(codec)
        self.model: Any = model.to(device)
        self.crops = Crops(data, device)
        self.speakers = read_recordings(data).speakers
        self.frame = int(model.frame_length)
        self.counts = (self.crops.places[1] + self.frame - 1) // self.frame

    def changes(self, options: EncodingOptions) -> Iterator[tuple["SpeakerChange", "SpeakerChange"]]:
        """Yield, for each variant, the change of the lines and the change of the references."""
        if options.plain or not options.strength:
            kind = "room" if options.recorded else "plain"
            yield self._change("plain", 0.0, 0), self._change(kind, 0.0, 0)
        for number in range(options.count if options.strength else 0):
            clean = "clean" if options.recorded else "mostly-clean"
            kind = "room" if options.recorded else clean
            yield self._change(clean, options.strength, number), self._change(kind, options.strength, number)

    def _change(self, kind: str, strength: float, number: int) -> "SpeakerChange":
        generator = torch.Generator(self.device).manual_seed(11 + number)
        drawn = augmentation.draw(int(self.speakers.max()) + 1, generator, strength)
        match kind:
            case "clean":
                drawn = drawn.speaker_alone()
            case "mostly-clean":
                drawn = drawn.mostly_clean(generator)
        changes = None if kind == "plain" else drawn
        return SpeakerChange(f"{kind}-{strength}-{number}", self.speakers, changes, generator)

    def codes(self, change: "SpeakerChange") -> Codes:
        """Return the codes (all frames, codebooks), which are stored with the corpus."""
        store = self.data / f"codes-{self.checksum:08x}-{change.name}.npy"
        if not self.group.broadcast_numbers((float(store.exists()),), self.device)[0]:
            part, books = store.with_suffix(".part"), len(quantization.levels(self.model))
            if self.group.rank == 0:
                np.lib.format.open_memmap(part, "w+", np.int16, (int(self.counts.sum()), books)).flush()
            self.group.barrier(self.device)
            self._fill(np.lib.format.open_memmap(part, "r+"), change)
            self.group.barrier(self.device)
            if self.group.rank == 0:
                part.replace(store)
            self.group.barrier(self.device)
        return np.array(np.load(store, mmap_mode="r"))

    def _fill(self, table: Codes, change: "SpeakerChange") -> None:
        """Encode the utterances of this process into the table."""
        starts = np.cumsum(self.counts) - self.counts
        for numbers in _batches(self.counts)[self.group.rank :: self.group.size]:
            frames = int((self.counts[numbers].max() + ROUND - 1) // ROUND * ROUND)
            audio = self.crops.lines(numbers.tolist(), frames, self.frame).audio
            found = encode(self.model, change(numbers, audio)).to(torch.int16).cpu().numpy()
            for number, rows in zip(numbers, found, strict=True):
                table[starts[number] : starts[number] + self.counts[number]] = rows[: self.counts[number]]


@dataclass(frozen=True, slots=True)
class SpeakerChange:
    """A function of utterance numbers and samples that augments each speaker in one way."""

    name: str
    speakers: NDArray[np.int32]
    changes: augmentation.Augmentations | None
    generator: torch.Generator

    def __call__(self, numbers: NDArray[np.int64], audio: Tensor) -> Tensor:
        if self.changes is None:
            return audio
        rows = torch.from_numpy(self.speakers[numbers]).long().to(audio.device)
        return augmentation.augment(audio, self.changes.select(rows), self.generator)


def _checksum(codec: Path) -> int:
    """Return a number that changes with the weights of the codec."""
    checksum = 0
    for file in sorted(codec.glob("codec*.safetensors")):
        checksum = zlib.crc32(file.read_bytes(), checksum)
    return checksum


def _batches(counts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    order, batches, start = np.argsort(counts, kind="stable")[::-1], [], 0
    while start < len(order):
        longest = int((counts[order[start]] + ROUND - 1) // ROUND * ROUND)
        batches.append(order[start : start + max(1, BATCH_FRAMES // longest)])
        start += len(batches[-1])
    return batches


@torch.no_grad()
def encode(model: Any, audio: Tensor) -> Tensor:
    """Encode audio (b, samples) to codes (b, t, codebooks)."""
    z = network.encode(model, audio)
    depth = torch.full((len(z),), len(quantization.levels(model)), device=z.device)
    return quantization.quantize(model, z, depth)[2].permute(1, 2, 0)
