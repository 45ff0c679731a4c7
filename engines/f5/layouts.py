"""The layouts of F5-TTS weights: those that are read, and the one that is written."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

DROPPED = ("mel_spec.", "initted", "step")  # what upstream's files hold besides the transformer
AVERAGED = "ema_model.transformer."  # of every name in upstream's files
ROTARY = "rotary_embed.inv_freq"  # a constant which our network makes itself and upstream's wants to load


def transformer(held: dict[str, Any]) -> dict[str, Tensor]:
    """The transformer's tensors of any of upstream's layouts: averaged (EMA) or plain, pruned or whole."""
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
    """The transformer's tensors as f5-tts's own loader takes them, names in order."""
    named = {AVERAGED + name: tensors[name] for name in sorted(tensors)}
    named[AVERAGED + ROTARY] = 1.0 / 10000 ** (torch.arange(0, dim_head, 2).float() / dim_head)
    return {"ema_model_state_dict": named}
