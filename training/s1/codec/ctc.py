"""Read the words off the semantic codes: a head that trains them to carry what is said, and tells how well they do.

Connectionist temporal classification (Graves et al. 2006) of letters, two guesses a frame, from the semantic level's
quantised vectors alone. The head is carried with the weights but never exported.
"""

import re
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.evaluation.edit_distance import edits
from training.s1.codec import quantization

LETTERS = " abcdefghijklmnopqrstuvwxyz'"  # class 0 is CTC's blank, class i + 1 the letter at i
CLASSES = len(LETTERS) + 1
GUESSES = 2  # a frame: 23 frames a second are too few for the letters of quick speech
WIDTH, LAYERS, TAPS = 192, 4, 7


def spell(text: str) -> list[int]:
    """Classes of what can be heard of a line: letters, spaces and apostrophes."""
    heard = re.sub(r"\s+", " ", re.sub(r"[^a-z' ]", " ", text.lower())).strip()
    return [LETTERS.index(letter) + 1 for letter in heard]


class Reader(nn.Module):
    """(b, t, d) quantised semantic vectors -> (b, 2 t, classes) logits; it sees half a second around."""

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


def semantic_vectors(model: Any, z: Tensor) -> Tensor:
    """(b, t, d) before quantisation -> what the semantic level alone keeps of it; gradients pass straight through."""
    level = quantization.levels(model)[0]
    latent = F.linear(z, level.in_proj.weight[:, :, 0], level.in_proj.bias)
    chosen = F.embedding(quantization.nearest(latent, level.codebook.weight), level.codebook.weight).detach()
    return F.linear(latent + (chosen - latent).detach(), level.out_proj.weight[:, :, 0], level.out_proj.bias)


def code_vectors(model: Any, codes: Tensor) -> Tensor:
    """(b, t) semantic codes -> (b, t, d) the same vectors."""
    level = quantization.levels(model)[0]
    return F.linear(level.codebook.weight[codes], level.out_proj.weight[:, :, 0], level.out_proj.bias)


def loss(logits: Tensor, frames: Tensor, letters: Tensor, counts: Tensor) -> Tensor:
    """Per letter; lengths live on the CPU (on the GPU each call would wait for them), letters are padded (b, s)."""
    chances = logits.float().log_softmax(-1).transpose(0, 1)
    return F.ctc_loss(chances, letters, frames * GUESSES, counts, zero_infinity=True)


def read(logits: Tensor, frames: Sequence[int]) -> list[list[int]]:
    """The likeliest class of each guess, repeats and blanks taken out."""
    rows = []
    for row, count in zip(logits.argmax(-1).cpu(), frames, strict=True):
        merged = torch.unique_consecutive(row[: count * GUESSES])
        rows.append([int(letter) for letter in merged if letter])
    return rows


def letter_errors(heard: Sequence[Sequence[int]], wanted: Sequence[Sequence[int]]) -> float:
    """Character error rate over all lines together."""
    wrong = sum(edits(w, h) for w, h in zip(wanted, heard, strict=True))
    return wrong / max(1, sum(map(len, wanted)))


@torch.no_grad()
def align(logits: Tensor, frames: Tensor, letters: Tensor, counts: Tensor) -> Tensor:
    """How many letters have begun by the end of each frame, on the likeliest path: (b, t) int64.

    Viterbi over CTC's states, all lines at once; frames and counts are (b,), letters (b, s) padded with 0.
    """
    chances = logits.float().log_softmax(-1)
    rows, steps, device = len(logits), logits.shape[1], logits.device
    states = torch.zeros(rows, 2 * letters.shape[1] + 1, dtype=torch.long, device=device)
    states[:, 1::2] = letters
    skips = torch.zeros_like(states, dtype=torch.bool)
    skips[:, 2:] = (states[:, 2:] > 0) & (states[:, 2:] != states[:, :-2])
    score = torch.full(states.shape, -1e30, device=device)
    score[:, :2] = chances[:, 0].gather(1, states[:, :2])
    moves = torch.zeros(steps, *states.shape, dtype=torch.uint8, device=device)
    ends = (frames.to(device) * GUESSES)[:, None]
    for step in range(1, steps):
        one = F.pad(score, (1, 0), value=-1e30)[:, :-1]
        two = F.pad(score, (2, 0), value=-1e30)[:, :-2].masked_fill(~skips, -1e30)
        best, move = torch.stack((score, one, two)).max(0)
        alive = step < ends
        score = torch.where(alive, best + chances[:, step].gather(1, states), score)
        moves[step] = torch.where(alive, move, 0)
    last = (2 * counts.to(device))[:, None]
    ended = torch.cat((score.gather(1, last - 1), score.gather(1, last)), 1)
    place = last[:, 0] - 1 + ended.argmax(1)
    path = torch.empty(rows, steps, dtype=torch.long, device=device)
    for step in range(steps - 1, -1, -1):
        path[:, step] = place
        place = place - moves[step].gather(1, place[:, None])[:, 0].long()
    return ((path + 1) // 2)[:, GUESSES - 1 :: GUESSES]
