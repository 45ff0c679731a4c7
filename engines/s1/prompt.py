"""The prompt: the reference as one turn of a speaker, then the text to be spoken as the start of the next turn."""

from dataclasses import dataclass

import torch
from torch import Tensor

from engines.runtime.transfers import sent
from engines.s1.network import DualAR
from engines.s1.tokenizer import END, INTERLEAVE, SPEAKER, Tokenizer


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """What a speaker says: text, and the codes of its sound; without codes it is to be generated."""

    text: str
    codes: Tensor | None = None  # (codebooks, frames) int64


def embed(network: DualAR, tokenizer: Tokenizer, turns: list[Turn], opening: bool) -> Tensor:
    """(t, dim) embeddings of turns in a row; `opening` stands at the start of a prompt."""
    device = network.device
    parts: list[Tensor] = []
    # Upstream encodes each of these apart, so their tokens never merge.
    tokens = tokenizer.control(INTERLEAVE) if opening else []
    for turn in turns:
        tokens = [*tokens, *tokenizer.control(SPEAKER), *tokenizer.text(turn.text)]
        if turn.codes is not None:
            parts += [_text(network, tokens, device), network.embed_frames(sent(turn.codes.T, device))]
            tokens = tokenizer.control(END)
    return torch.cat([*parts, _text(network, tokens, device)])


def _text(network: DualAR, tokens: list[int], device: torch.device) -> Tensor:
    words = network.embeddings.weight.device
    embedded = network.embed_text(sent(tokens, words))
    return embedded if words == device else sent(embedded, device)
