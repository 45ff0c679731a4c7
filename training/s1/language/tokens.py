"""The corpus as the language model sees it: every utterance's codes, and which letters each frame has reached."""

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
from training.parallel import Company
from training.s1.codec import ctc, network, quantization, weights
from training.s1.codec.crops import Crops

log = logging.getLogger(__name__)
BATCH_FRAMES = 32_768  # frames encoded at once
ROUND = 16  # utterances of one batch are padded to a multiple of this


@dataclass(frozen=True, slots=True)
class Tokens:
    codes: NDArray[np.int16]  # (all frames, codebooks)
    reached: NDArray[np.int16]  # (all frames,) letters begun by the end of each frame
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]  # frames of each utterance
    texts: list[str]
    letters: list[list[int]]
    speakers: NDArray[np.int32]


def encode_corpus(data: Path, codec: Path, company: Company, device: torch.device, others: bool = False) -> Tokens:
    """The corpus in codes, said by other persons than it was recorded with if `others`, one for each speaker.

    Each process encodes its share; all read all shares back from `data`, where they wait for a later portion."""
    began = time.monotonic()
    model: Any = weights.load(codec).to(device)
    reader = weights.load_reader(codec, model).to(device)
    crops = Crops(data, device)
    counts = _frames(crops, model)
    speakers = np.load(data / "index.npz")["speakers"]
    cast = _cast(speakers, device) if others else None
    store = data / f"tokens-{_mark(codec):08x}{'-others' if others else ''}.npy"
    if not company.agree((float(store.exists()),), device)[0]:
        part = store.with_suffix(".part")
        if company.rank == 0:
            np.lib.format.open_memmap(part, "w+", np.int16, (int(counts.sum()), _columns(model))).flush()
        company.wait(device)
        _fill(np.lib.format.open_memmap(part, "r+"), model, reader, crops, company, cast)
        company.wait(device)
        if company.rank == 0:
            part.replace(store)
        company.wait(device)
    whole = np.array(np.load(store, mmap_mode="r"))
    log.info("%d frames of %d utterances are codes after %.0f s", len(whole), len(counts), time.monotonic() - began)
    codes, reached = np.ascontiguousarray(whole[:, :-1]), np.ascontiguousarray(whole[:, -1])
    letters = [ctc.spell(text) for text in crops.texts]
    return Tokens(codes, reached, np.cumsum(counts) - counts, counts, crops.texts, letters, speakers)


def _frames(crops: Crops, model: Any) -> NDArray[np.int64]:
    """Of each utterance."""
    frame = int(model.frame_length)
    return (crops.places[1] + frame - 1) // frame


def _columns(model: Any) -> int:
    return len(quantization.levels(model)) + 1


def _cast(speakers: NDArray[np.int32], device: torch.device) -> Callable[[NDArray[np.int64], Tensor], Tensor]:
    """A function that has the utterances of these numbers said by their speakers' persons; the same in every process."""
    generator = torch.Generator(device).manual_seed(11)
    cast = augmentation.draw(int(speakers.max()) + 1, generator)

    def change(numbers: NDArray[np.int64], audio: Tensor) -> Tensor:
        return augmentation.change(audio, cast.pick(torch.from_numpy(speakers[numbers]).long().to(device)), generator)

    return change


def _fill(
    table: NDArray[np.int16],
    model: Any,
    reader: ctc.Reader,
    crops: Crops,
    company: Company,
    change: Callable[[NDArray[np.int64], Tensor], Tensor] | None,
) -> None:
    """This process's share of the utterances: their codes, and the letters reached in the last column."""
    counts = _frames(crops, model)
    starts, frame = np.cumsum(counts) - counts, int(model.frame_length)
    for numbers in _batches(counts)[company.rank :: company.size]:
        frames = int((counts[numbers].max() + ROUND - 1) // ROUND * ROUND)
        lines = crops.lines(numbers.tolist(), frames, frame)
        audio = change(numbers, lines.audio) if change else lines.audio
        codes, reached = encode(model, reader, audio, lines.frames, lines.letters, lines.counts)
        found = torch.cat((codes, reached[..., None]), -1).to(torch.int16).cpu().numpy()
        for number, rows in zip(numbers, found, strict=True):
            table[starts[number] : starts[number] + counts[number]] = rows[: counts[number]]


def _mark(codec: Path) -> int:
    """A number that changes with the codec's weights."""
    mark = 0
    for shard in sorted(codec.glob("codec-*.safetensors")):
        mark = zlib.crc32(shard.read_bytes(), mark)
    return mark


def _batches(counts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    order, batches, start = np.argsort(counts, kind="stable")[::-1], [], 0
    while start < len(order):
        longest = int((counts[order[start]] + ROUND - 1) // ROUND * ROUND)
        batches.append(order[start : start + max(1, BATCH_FRAMES // longest)])
        start += len(batches[-1])
    return batches


@torch.no_grad()
def encode(
    model: Any, reader: ctc.Reader, audio: Tensor, frames: Tensor, letters: Tensor, counts: Tensor
) -> tuple[Tensor, Tensor]:
    """(b, samples) -> codes (b, t, codebooks) and letters begun (b, t)."""
    z = network.encode(model, audio)
    depth = torch.full((len(z),), len(quantization.levels(model)), device=z.device)
    codes = quantization.quantise(model, z, depth)[2]
    logits = reader(ctc.code_vectors(model, codes[0]))
    reached = ctc.align(logits, frames, letters, counts)
    return codes.permute(1, 2, 0), reached
