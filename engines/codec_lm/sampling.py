"""Sample one code a row from logits: repetition penalty, nucleus and temperature, then Gumbel-max, without a device sync."""

import torch
from torch import Tensor


def choose(logits: Tensor, noise: Tensor, temperature: Tensor, top_p: Tensor) -> Tensor:
    """Sample indices: (b, n) logits and exponential noise, (b, 1) settings -> (b,).

    The nucleus (Holtzman et al. 2020, arXiv:1904.09751) is upstream's: applied before the temperature, without the candidate
    that crosses `top_p`; the most likely candidate always stays.
    """
    ranked, order = logits.float().sort(dim=-1, descending=True)
    outside = ranked.softmax(-1).cumsum(-1) > top_p
    outside[:, 0] = False
    scaled = ranked.masked_fill(outside, -torch.inf) / temperature.clamp(min=1e-5)
    chosen = (scaled.softmax(-1) / noise.gather(-1, order)).argmax(-1, keepdim=True)
    return order.gather(-1, chosen)[:, 0]


def choose_from_scaled(logits: Tensor, noise: Tensor, temperature: Tensor, top_p: Tensor, top_k: int) -> Tensor:
    """Sample like `choose`, in the order of Hugging Face and vLLM: temperature, `top_k` (0 = all), then the nucleus.

    The nucleus contains the candidate that crosses `top_p`.
    """
    ranked, order = (logits.float() / temperature.clamp(min=1e-5)).sort(dim=-1, descending=True)
    if top_k:
        ranked, order = ranked[:, :top_k], order[:, :top_k]
    shares = ranked.softmax(-1)
    outside = shares.cumsum(-1) - shares >= top_p
    outside[:, 0] = False
    chosen = (shares.masked_fill(outside, 0.0) / noise.gather(-1, order)).argmax(-1, keepdim=True)
    return order.gather(-1, chosen)[:, 0]


def penalise(logits: Tensor, recent: Tensor, penalty: Tensor) -> Tensor:
    """Make recent codes less likely (Keskar et al. 2019, arXiv:1909.05858): (b, n) logits, (b, w) codes, (b, 1) penalty.

    A negative code means none.
    """
    index = recent.clamp(min=0)
    score = logits.gather(-1, index)
    lowered = torch.where(score < 0, score * penalty, score / penalty)
    # Several entries with one code write the same value; negative entries write to a spare column.
    spare = torch.cat((logits, logits.new_zeros(len(logits), 1)), -1)  # the spare column
    return spare.scatter(-1, torch.where(recent < 0, logits.shape[-1], index), lowered)[:, :-1]
