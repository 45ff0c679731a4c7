"""Find the letter that each frame of codes has reached, with the codec's CTC head or a head that is fitted to the codes."""

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.s1.codec import ctc, quantization, weights

log = logging.getLogger(__name__)
ROWS, RATE = 96, 2e-3  # rows of a batch and learning rate for fitting a head
LONGEST = 170  # maximum number of frames of an utterance that a head is fitted to
BATCH_FRAMES = 65_536  # frames that are aligned together
Codes = NDArray[np.int16]


def carried_head(codec: Path, model: Any) -> ctc.CTCHead | None:
    """Return the CTC head that was trained with a codec; None if it learned nothing or was not saved."""
    if not weights.read_state(codec, "head") or weights.read_progress(codec).get("held_out_letters", 1.0) > 0.9:
        return None
    return weights.load_head(codec, model).to(codebook_of(model).device)


def fit_head(model: Any, codes: Codes, counts: NDArray[np.int64], letters: list[list[int]], steps: int) -> ctc.CTCHead:
    """Train a head that recognizes letters in the semantic codes. The codes do not change."""
    device = codebook_of(model).device
    head = ctc.CTCHead(quantization.semantic_width(model)).to(device)
    adam: Any = torch.optim.AdamW(head.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(adam, RATE, total_steps=steps, pct_start=0.1)
    for step, (numbers, semantic) in zip(range(steps), _drawn(codes, counts, letters, device), strict=False):
        logits = head(quantization.code_vectors(model, semantic))
        loss = ctc.loss(logits, *_labels(numbers, counts, letters, device))
        adam.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(head.parameters(), 1.0)
        adam.step()
        schedule.step()
        if step % 250 == 249:
            log.info("letters' head, step %d: loss %.3f a letter", step + 1, float(loss))
    return head.eval().requires_grad_(False)


@torch.no_grad()
def reached_letters(
    head: ctc.CTCHead, model: Any, codes: Codes, counts: NDArray[np.int64], letters: list[list[int]]
) -> NDArray[np.int16]:
    """Return the number of letters that have begun by the end of each frame, shape (all frames,)."""
    device, found = codebook_of(model).device, np.zeros(len(codes), np.int16)
    starts, order = np.cumsum(counts) - counts, np.argsort(counts, kind="stable")[::-1]
    first = 0
    while first < len(order):
        numbers = order[first : first + max(1, BATCH_FRAMES // max(1, int(counts[order[first]])))]
        first += len(numbers)
        logits = head(quantization.code_vectors(model, _semantic(codes, starts, counts, numbers, device)))
        frames, table, sizes = _labels(numbers, counts, letters, device)
        rows = ctc.align(logits, frames, table, sizes).to(torch.int16).cpu().numpy()
        for number, row in zip(numbers, rows, strict=True):
            found[starts[number] : starts[number] + counts[number]] = row[: counts[number]]
    return found


def codebook_of(model: Any) -> Tensor:
    """Return the codebook of the model's semantic level."""
    table: Tensor = quantization.levels(model)[0].codebook.weight
    return table


def _drawn(
    codes: Codes, counts: NDArray[np.int64], letters: list[list[int]], device: torch.device
) -> Iterator[tuple[NDArray[np.int64], Tensor]]:
    """Yield an endless sequence of batches: numbers of utterances, and their semantic codes."""
    rng, starts = np.random.default_rng(3), np.cumsum(counts) - counts
    sizes = np.array([len(line) for line in letters[: len(counts)]])
    fit = np.flatnonzero((counts <= LONGEST) & (counts >= 8) & (sizes > 0) & (1.15 * sizes + 2 < counts * ctc.GUESSES))
    while True:
        numbers = rng.choice(fit, min(ROWS, len(fit)), replace=False)
        yield numbers, _semantic(codes, starts, counts, numbers, device)


def _semantic(
    codes: Codes, starts: NDArray[np.int64], counts: NDArray[np.int64], numbers: NDArray[np.int64], device: torch.device
) -> Tensor:
    """Return the semantic codes (rows, frames) of utterances. In shorter rows, the last code is repeated."""
    local = np.minimum(np.arange(int(counts[numbers].max())), counts[numbers][:, None] - 1)
    return torch.from_numpy(codes[starts[numbers][:, None] + local, 0].astype(np.int64)).to(device)


def _labels(
    numbers: NDArray[np.int64], counts: NDArray[np.int64], letters: Sequence[list[int]], device: torch.device
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the frames (on the CPU), the letters padded with 0 (on the device), and the numbers of letters (on the CPU)."""
    lines = [letters[number] for number in numbers]
    table = torch.zeros(len(lines), max(map(len, lines)), dtype=torch.long)
    for row, line in zip(table, lines, strict=True):
        row[: len(line)] = torch.tensor(line)
    return torch.from_numpy(counts[numbers]), table.to(device), torch.tensor([len(line) for line in lines])
