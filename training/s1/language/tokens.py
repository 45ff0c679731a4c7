"""The corpus as tokens of the language model: every utterance's codes, and which letters each frame has reached."""

import logging
import time
import zlib
from collections.abc import Callable
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
from training.s1.codec.crops import Crops, Lines

log = logging.getLogger(__name__)
BATCH_FRAMES = 32_768  # frames encoded at once
ROUND = 16  # utterances of one batch are padded to a multiple of this
Change = Callable[[NDArray[np.int64], Tensor], Tensor]


@dataclass(frozen=True, slots=True)
class Tokens:
    codes: NDArray[np.int16]  # (all frames, codebooks)
    reached: NDArray[np.int16]  # (all frames,) letters begun by the end of each frame
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]  # frames of each utterance
    texts: list[str]
    letters: list[list[int]]
    speakers: NDArray[np.int32]

    def codes_of(self, utterance: int) -> NDArray[np.int16]:
        """(t, codebooks)"""
        start = self.starts[utterance]
        return self.codes[start : start + self.counts[utterance]]


def encode_corpus(data: Path, codec: Path, group: ProcessGroup, device: torch.device, augment: float = 0.0) -> Tokens:
    """The corpus in codes, its speakers augmented if `augment`, each in one way.

    Each process encodes its share; all read all shares back from `data`, where they stay for a later call.
    """
    began = time.monotonic()
    model: Any = weights.load(codec).to(device)
    head = weights.load_head(codec, model).to(device)
    crops = Crops(data, device)
    counts = _frames(crops, model)
    speakers = read_recordings(data).speakers
    change = _augmentation(speakers, device, augment) if augment else None
    store = data / f"tokens-{_checksum(codec):08x}{f'-augmented-{augment}' if augment else ''}.npy"
    if not group.broadcast_numbers((float(store.exists()),), device)[0]:
        part = store.with_suffix(".part")
        if group.rank == 0:
            np.lib.format.open_memmap(part, "w+", np.int16, (int(counts.sum()), _columns(model))).flush()
        group.barrier(device)
        _fill(np.lib.format.open_memmap(part, "r+"), model, head, crops, group, change)
        group.barrier(device)
        if group.rank == 0:
            part.replace(store)
        group.barrier(device)
    whole = np.array(np.load(store, mmap_mode="r"))
    log.info("%d frames of %d utterances are codes after %.0f s", len(whole), len(counts), time.monotonic() - began)
    codes, reached = np.ascontiguousarray(whole[:, :-1]), np.ascontiguousarray(whole[:, -1])
    letters = [ctc.classes_of(text) for text in crops.texts]
    return Tokens(codes, reached, np.cumsum(counts) - counts, counts, crops.texts, letters, speakers)


def _frames(crops: Crops, model: Any) -> NDArray[np.int64]:
    """Of each utterance."""
    frame = int(model.frame_length)
    return (crops.places[1] + frame - 1) // frame


def _columns(model: Any) -> int:
    return len(quantization.levels(model)) + 1


def _augmentation(speakers: NDArray[np.int32], device: torch.device, strength: float) -> Change:
    """A function of numbers of utterances and their samples, which augments each speaker; the same in every process."""
    generator = torch.Generator(device).manual_seed(11)
    changes = augmentation.draw(int(speakers.max()) + 1, generator, strength).mostly_clean(generator)

    def change(numbers: NDArray[np.int64], audio: Tensor) -> Tensor:
        rows = torch.from_numpy(speakers[numbers]).long().to(device)
        return augmentation.augment(audio, changes.select(rows), generator)

    return change


def _fill(
    table: NDArray[np.int16],
    model: Any,
    head: ctc.CTCHead,
    crops: Crops,
    group: ProcessGroup,
    change: Change | None,
) -> None:
    """This process's share of the utterances: their codes, and the letters reached in the last column."""
    counts = _frames(crops, model)
    starts, frame = np.cumsum(counts) - counts, int(model.frame_length)
    for numbers in _batches(counts)[group.rank :: group.size]:
        frames = int((counts[numbers].max() + ROUND - 1) // ROUND * ROUND)
        lines = crops.lines(numbers.tolist(), frames, frame)
        audio = change(numbers, lines.audio) if change else lines.audio
        codes, reached = encode(model, head, audio, lines)
        found = torch.cat((codes, reached[..., None]), -1).to(torch.int16).cpu().numpy()
        for number, rows in zip(numbers, found, strict=True):
            table[starts[number] : starts[number] + counts[number]] = rows[: counts[number]]


def _checksum(codec: Path) -> int:
    """A number that changes with the codec's weights."""
    checksum = 0
    for shard in sorted(codec.glob("codec-*.safetensors")):
        checksum = zlib.crc32(shard.read_bytes(), checksum)
    return checksum


def _batches(counts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    order, batches, start = np.argsort(counts, kind="stable")[::-1], [], 0
    while start < len(order):
        longest = int((counts[order[start]] + ROUND - 1) // ROUND * ROUND)
        batches.append(order[start : start + max(1, BATCH_FRAMES // longest)])
        start += len(batches[-1])
    return batches


@torch.no_grad()
def encode(model: Any, head: ctc.CTCHead, audio: Tensor, lines: Lines) -> tuple[Tensor, Tensor]:
    """(b, samples) of these lines -> codes (b, t, codebooks) and letters begun (b, t)."""
    z = network.encode(model, audio)
    depth = torch.full((len(z),), len(quantization.levels(model)), device=z.device)
    codes = quantization.quantize(model, z, depth)[2]
    logits = head(quantization.code_vectors(model, codes[0]))
    reached = ctc.align(logits, lines.frames, lines.letters, lines.counts)
    return codes.permute(1, 2, 0), reached
