"""Training items for the flow: one to three utterances of one speaker in a row, like a reference and a line.

All rows of a batch have equal lengths, so no attention mask is needed. The length of an item is made a multiple of STEP by
trimming or extending the silence at its end.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.corpus.recordings import Recordings
from training.f5.text import join, tokens_of

STEP, LONGEST = 64, 1472  # frames
# Frames of final silence that may be removed or added to reach a multiple of STEP; they sum to STEP.
CUT, STRETCH = 12, 52
COUNTS, CHANCES = (1, 2, 3), (0.25, 0.55, 0.2)
HEAD_CUT, LOOP = 6, 8  # number of first frames that may be removed, and of last frames that are repeated as silence


@dataclass(frozen=True, slots=True)
class MelItem:
    parts: tuple[int, ...]  # numbers of utterances
    frames: int  # a multiple of STEP


@dataclass(frozen=True, slots=True)
class MelBatch:
    frames: Tensor  # (b, n) int64 rows of the mel bank
    tokens: Tensor  # (b, t) int64
    spans: Tensor  # (b, 2) int64: the first masked frame, and the frame after the last


@dataclass(frozen=True, slots=True)
class SeamShares:
    """How rows of several utterances are masked, and what precedes the mask."""

    masked: float  # share of rows that are masked from a seam to the end, as in use
    rooms: float = 0.0  # share of these rows whose reference is as if recorded in a room
    behind: int = 0  # distance in the mel bank to the utterances in a room


@dataclass(frozen=True, slots=True)
class Utterances:
    """The data of items, for a part of the speakers."""

    counts: NDArray[np.int64]  # mel frames of each utterance
    starts: NDArray[np.int64]  # first row of each utterance in the mel bank
    texts: list[str]
    by_speaker: list[NDArray[np.int64]]


def utterances_of(recordings: Recordings, counts: NDArray[np.int64], speakers: set[int]) -> Utterances:
    starts = np.cumsum(counts) - counts
    chosen = [np.flatnonzero(recordings.speakers == speaker) for speaker in sorted(speakers)]
    return Utterances(counts, starts, recordings.texts, chosen)


def draw_items(utterances: Utterances, rng: np.random.Generator) -> Iterator[MelItem]:
    """Yield every utterance once, in a new order and with new neighbours."""
    # Drawn together, because a separate draw for each item would delay the trainer.
    wishes = iter(rng.choice(COUNTS, sum(map(len, utterances.by_speaker)), p=CHANCES).tolist())
    counts = utterances.counts.tolist()
    for group in utterances.by_speaker:
        order = rng.permutation(group).tolist()
        while order:
            wanted, total = next(wishes), 0
            chosen: list[int] = []
            while order and len(chosen) < wanted and total + counts[order[-1]] <= LONGEST + CUT:
                chosen.append(order.pop())
                total += counts[chosen[-1]]
            if not chosen:
                order.pop()
                continue
            yield MelItem(tuple(chosen), max(STEP, (total + STRETCH) // STEP * STEP))


def build(utterances: Utterances, items: list[MelItem], rng: np.random.Generator, shares: SeamShares) -> MelBatch:
    frames = np.empty((len(items), items[0].frames), np.int64)
    spans = np.empty((len(items), 2), np.int64)
    texts = []
    for row, item in enumerate(items):
        seams = _lay(utterances, item, frames[row], rng)
        spans[row] = _span(item, seams, rng, shares.masked)
        if spans[row, 0] in seams and rng.random() < shares.rooms:
            frames[row, : spans[row, 0]] += shares.behind
        text = utterances.texts[item.parts[0]]
        for other in item.parts[1:]:
            text = join(text, utterances.texts[other])
        texts.append(tokens_of(text[: item.frames]))
    tokens = np.zeros((len(items), (max(len(text) for text in texts) + 31) // 32 * 32), np.int64)
    for row, ids in enumerate(texts):
        tokens[row, : len(ids)] = ids
    return MelBatch(torch.from_numpy(frames), torch.from_numpy(tokens), torch.from_numpy(spans))


def _lay(utterances: Utterances, item: MelItem, row: NDArray[np.int64], rng: np.random.Generator) -> list[int]:
    """Write the rows of an item in the mel bank. Return the positions where its later utterances begin."""
    seams, place = [], 0
    spare = sum(int(utterances.counts[utterance]) for utterance in item.parts) - item.frames
    for utterance in item.parts:
        start, count = int(utterances.starts[utterance]), int(utterances.counts[utterance])
        head = int(rng.integers(0, HEAD_CUT + 1)) if spare > -STRETCH + HEAD_CUT else 0
        spare -= head
        seams.append(place)
        end = min(place + count - head, len(row))
        row[place:end] = np.arange(start + head, start + head + end - place)
        place = end
    last = int(row[place - 1])
    row[place:] = last - np.arange(len(row) - place) % LOOP
    return seams[1:]


def _span(item: MelItem, seams: list[int], rng: np.random.Generator, seam_share: float) -> tuple[int, int]:
    """Return the frames to generate: from a seam to the end, as at inference, or any 60 to 100 % of the frames.

    Half of the latter extend to the end.
    """
    if seams and rng.random() < seam_share:
        return int(rng.choice(seams)), item.frames
    size = max(1, int(item.frames * rng.uniform(0.6, 1.0)))
    start = item.frames - size if rng.random() < 0.5 else int(rng.integers(0, item.frames - size + 1))
    return start, start + size


def stream(utterances: Utterances, frames_per_step: int, seed: int, shares: SeamShares) -> Iterator[MelBatch]:
    """Yield an endless sequence of batches, whose rows have equal lengths. Leftover rows wait for the next round."""
    rng = np.random.default_rng(seed)
    waiting: dict[int, list[MelItem]] = {}
    while True:
        full: list[list[MelItem]] = []
        for item in draw_items(utterances, rng):
            rows = waiting.setdefault(item.frames, [])
            rows.append(item)
            if len(rows) >= max(1, frames_per_step // item.frames):
                full.append(waiting.pop(item.frames))
        for number in rng.permutation(len(full)):
            yield build(utterances, full[number], rng, shares)
