"""A simple sampler for the dual-AR model, to measure a training. It samples several lines together, position by position."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from training.s1.language.dual_ar import LanguageModel
from training.s1.language.prompts import IM_END, SEMANTIC, SEMANTIC_CODES, Rows

TEMPERATURE, TOP_P = 0.7, 0.8


class Sampler:
    """Samples from the most likely codes whose probabilities sum to `top_p`, as fish-speech does, with one seed."""

    def __init__(self, model: LanguageModel, seed: int, temperature: float = TEMPERATURE, top_p: float = TOP_P) -> None:
        self.model, self.temperature, self.top_p = model, temperature, top_p
        self.device = model.embeddings.weight.device
        self.generator = torch.Generator(self.device).manual_seed(seed)

    def caches(self, rows: int, positions: int, layers: int) -> list[Tensor]:
        """Return empty keys and values of each layer."""
        shape = self.model.shape
        size = (2, rows, shape.n_local_heads, positions, shape.head_dim)
        return [torch.zeros(size, device=self.device) for _ in range(layers)]

    def step(self, layers: Iterable[Any], caches: Sequence[Tensor], x: Tensor, place: int) -> Tensor:
        """Process one position (b, 1, dim) through these layers."""
        for layer, cache in zip(layers, caches, strict=True):
            x = layer.step(x, self.model.rotation[place : place + 1], cache, place)
        return x

    def frame(self, hidden: Tensor) -> Tensor:
        """Return semantic tokens or ends, with the codes of their frames: hidden states (b, 1, dim) -> (b, 1 + codebooks)."""
        model, shape = self.model, self.model.shape
        allowed = [IM_END, *range(SEMANTIC, SEMANTIC + SEMANTIC_CODES)]
        choice = self.draw(model.semantic_logits(hidden[:, 0])[:, allowed])
        token = torch.where(choice == 0, IM_END, choice - 1 + SEMANTIC)
        codes = [(choice - 1).clamp(min=0)]
        caches = self.caches(len(hidden), shape.num_codebooks, shape.n_fast_layer)
        x = hidden
        for place in range(shape.num_codebooks):
            x = self.step(model.fast_layers, caches, x, place)
            if place:
                codes.append(self.draw(model.fast_output(model.fast_norm(x[:, 0]))))
            x = model.fast_embeddings(codes[-1])[:, None]
        return torch.stack((token, *codes), 1)

    def draw(self, logits: Tensor) -> Tensor:
        """Sample from logits (b, n) -> (b,)."""
        ordered, order = logits.float().sort(descending=True)
        surplus = ordered.softmax(-1).cumsum(-1) > self.top_p
        surplus[:, 0] = False
        chances = F.softmax(ordered.masked_fill(surplus, -torch.inf) / self.temperature, -1)
        return order.gather(1, torch.multinomial(chances, 1, generator=self.generator))[:, 0]


@torch.no_grad()
def sample(sampler: Sampler, prompts: Sequence[Rows], most_frames: int) -> list[NDArray[np.int16]]:
    """Return the codes (t, codebooks) after each prompt, up to the end that the model predicts or `most_frames`."""
    model = sampler.model
    sizes = torch.tensor([len(rows) for rows in prompts], device=sampler.device)
    table = _table(prompts, int(sizes.max()) + most_frames + 1, sampler.device)
    caches = sampler.caches(len(prompts), table.shape[1], model.shape.n_layer)
    shortest, ended = int(sizes.min()), torch.full_like(sizes, -1)
    for place in range(table.shape[1] - 1):
        hidden = sampler.step(model.layers, caches, model.embed(table[:, place : place + 1]), place)
        if place + 1 < shortest:
            continue
        begun = (place + 1 >= sizes) & (ended < 0)
        drawn = sampler.frame(hidden)
        finished = (drawn[:, 0] == IM_END) | (place + 1 - sizes >= most_frames)
        ended = torch.where(begun & finished, place + 1, ended)
        table[:, place + 1] = torch.where(begun[:, None], drawn, table[:, place + 1])
        if place % 8 == 0 and bool((ended >= 0).all()):
            break
    ends = torch.where(ended < 0, table.shape[1] - 1, ended)
    return [
        rows[int(size) : int(end), 1:].cpu().numpy().astype(np.int16)
        for rows, size, end in zip(table, sizes, ends, strict=True)
    ]


def _table(prompts: Sequence[Rows], positions: int, device: torch.device) -> Tensor:
    """Return a table (b, positions, 1 + codebooks) with the prompts at the beginning of each row."""
    table = torch.zeros(len(prompts), positions, prompts[0].shape[1], dtype=torch.long, device=device)
    for row, rows in zip(table, prompts, strict=True):
        row[: len(rows)] = torch.from_numpy(rows.astype(np.int64))
    return table
