"""The layouts of F5-TTS weights: upstream's, which are read, and the one that is written."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

DROPPED = ("mel_spec.", "initted", "step")  # other contents of upstream's files
AVERAGED = "ema_model.transformer."  # prefix of every name in upstream's files
ROTARY = "rotary_embed.inv_freq"  # a constant that our network computes and upstream's network loads


def transformer(held: dict[str, Any]) -> dict[str, Tensor]:
    """Return the transformer's tensors from any layout of upstream: averaged (EMA) or plain, pruned or complete."""
    for key in ("ema_model_state_dict", "model_state_dict"):
        if isinstance(held.get(key), dict):
            held = held[key]
            break
    plain = {name.removeprefix("ema_model."): tensor for name, tensor in held.items()}
    kept = {name: tensor for name, tensor in plain.items() if not name.startswith(DROPPED)}
    return {
        name.removeprefix("transformer."): tensor
        for name, tensor in kept.items()
        if isinstance(tensor, Tensor) and not name.endswith(ROTARY)
    }


def upstream(tensors: Mapping[str, Tensor], dim_head: int) -> dict[str, dict[str, Tensor]]:
    """Return the transformer's tensors in the layout of f5-tts's loader, sorted by name."""
    named = {AVERAGED + name: tensors[name] for name in sorted(tensors)}
    named[AVERAGED + ROTARY] = 1.0 / 10000 ** (torch.arange(0, dim_head, 2).float() / dim_head)
    return {"ema_model_state_dict": named}
