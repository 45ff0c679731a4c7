"""Recognition of letters in the semantic codes: a head that trains these codes to contain the words, and measures this.

The method is connectionist temporal classification (CTC, Graves et al. 2006) of letters, with two guesses per frame. Its input
is the quantised vectors of the semantic level alone. The head is saved with the weights but never exported.
"""

import re
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.evaluation.edit_distance import edits

LETTERS = " abcdefghijklmnopqrstuvwxyz'"  # class 0 is CTC's blank; class i + 1 is the letter with index i
CLASSES = len(LETTERS) + 1
GUESSES = 2  # per frame, because 23 guesses a second are too few for the letters of quick speech
WIDTH, LAYERS, TAPS = 192, 4, 7


def classes_of(text: str) -> list[int]:
    """Return the classes of a line's letters, spaces and apostrophes. Punctuation is left out."""
    spoken = re.sub(r"\s+", " ", re.sub(r"[^a-z' ]", " ", text.lower())).strip()
    return [LETTERS.index(letter) + 1 for letter in spoken]


class CTCHead(nn.Module):
    """Converts quantised semantic vectors (b, t, d) to logits (b, 2 t, classes). The input spans half a second per frame."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.first = nn.Linear(dim, WIDTH)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(LAYERS))
        self.wide = nn.ModuleList(nn.Conv1d(WIDTH, WIDTH, TAPS, padding=TAPS // 2) for _ in range(LAYERS))
        self.point = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(LAYERS))
        self.last = nn.Linear(WIDTH, GUESSES * CLASSES)

    def forward(self, vectors: Tensor) -> Tensor:
        x = self.first(vectors)
        for norm, wide, point in zip(self.norms, self.wide, self.point, strict=True):
            x = x + point(F.gelu(wide(norm(x).transpose(1, 2)).transpose(1, 2)))
        return self.last(x).unflatten(-1, (GUESSES, CLASSES)).flatten(1, 2)


def loss(logits: Tensor, frames: Tensor, letters: Tensor, counts: Tensor) -> Tensor:
    """Return the CTC loss per letter. Letters are padded (b, s). Lengths are on the CPU, so that no call waits for the GPU."""
    chances = logits.float().log_softmax(-1).transpose(0, 1)
    return F.ctc_loss(chances, letters, frames * GUESSES, counts, zero_infinity=True)


def best_path(logits: Tensor, frames: Sequence[int]) -> list[list[int]]:
    """Return the most likely classes, with repeats and blanks removed."""
    rows = []
    for row, count in zip(logits.argmax(-1).cpu(), frames, strict=True):
        merged = torch.unique_consecutive(row[: count * GUESSES])
        rows.append([int(letter) for letter in merged if letter])
    return rows


def letter_error_rate(found: Sequence[Sequence[int]], wanted: Sequence[Sequence[int]]) -> float:
    """Return the character error rate over all lines together."""
    wrong = sum(edits(w, f) for w, f in zip(wanted, found, strict=True))
    return wrong / max(1, sum(map(len, wanted)))


@torch.no_grad()
def align(logits: Tensor, frames: Tensor, letters: Tensor, counts: Tensor) -> Tensor:
    """Return the number of letters that have begun by the end of each frame on the most likely path: (b, t) int64.

    This is a Viterbi search over CTC's states, for all lines together. `frames` and `counts` are (b,), `letters` (b, s) is
    padded with 0.
    """
    states = torch.zeros(len(logits), 2 * letters.shape[1] + 1, dtype=torch.long, device=logits.device)
    states[:, 1::2] = letters
    score, moves = _forward(logits.float().log_softmax(-1), states, (frames.to(logits.device) * GUESSES)[:, None])
    last = (2 * counts.to(logits.device))[:, None]
    ended = torch.cat((score.gather(1, last - 1), score.gather(1, last)), 1)
    place = last[:, 0] - 1 + ended.argmax(1)
    path = torch.empty(logits.shape[:2], dtype=torch.long, device=logits.device)
    for step in range(logits.shape[1] - 1, -1, -1):
        path[:, step] = place
        place = place - moves[step].gather(1, place[:, None])[:, 0].long()
    return ((path + 1) // 2)[:, GUESSES - 1 :: GUESSES]


def _forward(chances: Tensor, states: Tensor, ends: Tensor) -> tuple[Tensor, Tensor]:
    """Return the best score of each state (b, states) at the ends of the rows (b, 1), and the moves (steps, b, states).

    A move is the number of states by which a step advanced.
    """
    skips = torch.zeros_like(states, dtype=torch.bool)
    skips[:, 2:] = (states[:, 2:] > 0) & (states[:, 2:] != states[:, :-2])
    score = torch.full(states.shape, -1e30, device=states.device)
    score[:, :2] = chances[:, 0].gather(1, states[:, :2])
    moves = torch.zeros(chances.shape[1], *states.shape, dtype=torch.uint8, device=states.device)
    for step in range(1, chances.shape[1]):
        one = F.pad(score, (1, 0), value=-1e30)[:, :-1]
        two = F.pad(score, (2, 0), value=-1e30)[:, :-2].masked_fill(~skips, -1e30)
        best, move = torch.stack((score, one, two)).max(0)
        alive = step < ends
        score = torch.where(alive, best + chances[:, step].gather(1, states), score)
        moves[step] = torch.where(alive, move, 0)
    return score, moves
