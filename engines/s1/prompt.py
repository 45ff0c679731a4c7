"""Prompts of S1: the reference as one turn of a speaker, then the text to speak as the start of the next turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from engines.codec_lm.frames import NO_CODES, Codes
from engines.codec_lm.prompts import Turn
from engines.runtime.transfers import to_device
from engines.s1.network import DualAR
from engines.s1.tokenizer import END, INTERLEAVE, SPEAKER, Tokenizer


@dataclass(frozen=True, slots=True, eq=False)
class S1Prompt:
    """Embeds prompts of a checkpoint; `engines.codec_lm.prompts` describes it."""

    network: DualAR
    tokenizer: Tokenizer
    reads_reference = True
    reads_transcript = True

    def with_settings(self, settings: Mapping[str, float]) -> "S1Prompt":
        """Return this form: it is the same with all settings."""
        return self

    def voice_codes(self, reference: Turn) -> Codes:
        """Return no codes: frames do not name their voice."""
        return NO_CODES

    def prefix(self, reference: Turn) -> Tensor:
        """Embed the reference as the first turn."""
        return embed(self.network, self.tokenizer, [reference], at_start=True)

    def rest(self, reference: Turn, turns: Sequence[Turn]) -> Tensor:
        """Embed the turns after the reference."""
        return embed(self.network, self.tokenizer, turns, at_start=False)

    def positions(self, transcript: str, frames: int) -> int:
        """Return the positions of a transcript and its frames, without control tokens."""
        return frames + len(self.tokenizer.text(transcript))


def embed(network: DualAR, tokenizer: Tokenizer, turns: Sequence[Turn], at_start: bool) -> Tensor:
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
