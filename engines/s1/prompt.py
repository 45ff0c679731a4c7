"""Build the prompt: the reference as one turn of a speaker, then the text to speak as the start of the next turn."""

from dataclasses import dataclass

import torch
from torch import Tensor

from engines.runtime.transfers import to_device
from engines.s1.network import DualAR
from engines.s1.tokenizer import END, INTERLEAVE, SPEAKER, Tokenizer


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """A speaker's text with the codes of its audio; without codes, the audio is to be generated."""

    text: str
    codes: Tensor | None = None  # (codebooks, frames) int64


def embed(network: DualAR, tokenizer: Tokenizer, turns: list[Turn], at_start: bool) -> Tensor:
    """Embed turns as (t, dim); with `at_start`, they begin with the prompt's start token."""
    device = network.device
    parts: list[Tensor] = []
    # Upstream encodes these parts separately, so their tokens never merge.
    tokens = tokenizer.control(INTERLEAVE) if at_start else []
    for turn in turns:
        tokens = [*tokens, *tokenizer.control(SPEAKER), *tokenizer.text(turn.text)]
        if turn.codes is not None:
            parts += [_text(network, tokens, device), network.embed_frames(to_device(turn.codes.T, device))]
            tokens = tokenizer.control(END)
    return torch.cat([*parts, _text(network, tokens, device)])


def _text(network: DualAR, tokens: list[int], device: torch.device) -> Tensor:
    words = network.embeddings.weight.device
    embedded = network.embed_text(to_device(tokens, words))
    return embedded if words == device else to_device(embedded, device)
