"""A plain sampler for the dual-AR model: several lines at once, position by position, to hear what training has reached."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from training.s1.codec import network, quantization
from training.s1.language.dual_ar import DualAR
from training.s1.language.prompts import IM_END, SEMANTIC, SEMANTIC_CODES, Rows

TEMPERATURE, TOP_P = 0.7, 0.8


@torch.no_grad()
def speak(
    model: DualAR,
    wanted: Sequence[Rows],
    most_frames: int,
    seed: int,
    temperature: float = TEMPERATURE,
    top_p: float = TOP_P,
) -> list[NDArray[np.int16]]:
    """Prompts -> the codes (t, codebooks) spoken after each, until the model ends or `most_frames` are there."""
    device, books, shape = model.embeddings.weight.device, model.shape.num_codebooks, model.shape
    sizes = torch.tensor([len(rows) for rows in wanted], device=device)
    shortest, longest = int(sizes.min()), int(sizes.max())
    table = torch.zeros(len(wanted), longest + most_frames + 1, 1 + books, dtype=torch.long, device=device)
    for row, prompt in zip(table, wanted, strict=True):
        row[: len(prompt)] = torch.from_numpy(prompt.astype(np.int64))
    caches = _caches(model, len(wanted), table.shape[1], shape.n_layer)
    generator = torch.Generator(device).manual_seed(seed)
    ended = torch.full_like(sizes, -1)
    for place in range(table.shape[1] - 1):
        x = model.embed(table[:, place : place + 1])
        for layer, cache in zip(model.layers, caches, strict=True):
            x = layer.step(x, model.rotation[place : place + 1], cache, place)
        speaks = (place + 1 >= sizes) & (ended < 0)
        if place + 1 < shortest:
            continue
        drawn = _frame(model, x, generator, temperature, top_p)
        finished = (drawn[:, 0] == IM_END) | (place + 1 - sizes >= most_frames)
        ended = torch.where(speaks & finished, place + 1, ended)
        table[:, place + 1] = torch.where(speaks[:, None], drawn, table[:, place + 1])
        if place % 8 == 0 and bool((ended >= 0).all()):
            break
    ends = torch.where(ended < 0, table.shape[1] - 1, ended)
    return [
        rows[int(size) : int(end), 1:].cpu().numpy().astype(np.int16)
        for rows, size, end in zip(table, sizes, ends, strict=True)
    ]


def _caches(model: DualAR, rows: int, positions: int, layers: int) -> list[Tensor]:
    shape = model.shape
    size = (2, rows, shape.n_local_heads, positions, shape.head_dim)
    return [torch.zeros(size, device=model.embeddings.weight.device) for _ in range(layers)]


def _frame(model: DualAR, hidden: Tensor, generator: torch.Generator, temperature: float, top_p: float) -> Tensor:
    """(b, 1, dim) -> (b, 1 + codebooks): a semantic token or the end, and the frame's codes."""
    allowed = [IM_END, *range(SEMANTIC, SEMANTIC + SEMANTIC_CODES)]
    logits = model.semantic_logits(hidden[:, 0])[:, allowed]
    choice = draw(logits, generator, temperature, top_p)
    token = torch.where(choice == 0, IM_END, choice - 1 + SEMANTIC)
    codes = [(choice - 1).clamp(min=0)]
    caches = _caches(model, len(hidden), model.shape.num_codebooks, model.shape.n_fast_layer)
    x = hidden
    for place in range(model.shape.num_codebooks):
        for layer, cache in zip(model.fast_layers, caches, strict=True):
            x = layer.step(x, model.rotation[place : place + 1], cache, place)
        if place:
            codes.append(draw(model.fast_output(model.fast_norm(x[:, 0])), generator, temperature, top_p))
        x = model.fast_embeddings(codes[-1])[:, None]
    return torch.stack((token, *codes), 1)


def draw(logits: Tensor, generator: torch.Generator, temperature: float, top_p: float) -> Tensor:
    """(b, n) -> (b,): one of the likeliest that together reach `top_p`, as fish-speech draws."""
    ordered, order = logits.float().sort(descending=True)
    surplus = ordered.softmax(-1).cumsum(-1) > top_p
    surplus[:, 0] = False
    chances = F.softmax(ordered.masked_fill(surplus, -torch.inf) / temperature, -1)
    return order.gather(1, torch.multinomial(chances, 1, generator=generator))[:, 0]


@torch.no_grad()
def sound(codec: Any, codes: NDArray[np.int16]) -> NDArray[np.float32]:
    """(t, codebooks) through the folded codec's decoder: samples at 24 kHz."""
    device = next(codec.parameters()).device
    z: Any = 0
    for level, column in zip(quantization.levels(codec), torch.from_numpy(codes.astype(np.int64)).T, strict=False):
        vectors = level.codebook.weight[column.to(device)]
        z = z + F.linear(vectors, level.out_proj.weight[:, :, 0], level.out_proj.bias)
    return network.decode(codec, z[None])[0].float().cpu().numpy()


@torch.no_grad()
def codes_of(codec: Any, audio: NDArray[np.float32]) -> NDArray[np.int16]:
    """Samples at 24 kHz -> (t, codebooks)."""
    frame = int(codec.frame_length)
    whole = torch.from_numpy(np.pad(audio, (0, -len(audio) % frame)))[None]
    z = network.encode(codec, whole.to(next(codec.parameters()).device))
    depth = torch.full((1,), len(quantization.levels(codec)), device=z.device)
    return quantization.quantise(codec, z, depth)[2][:, 0].T.cpu().numpy().astype(np.int16)
