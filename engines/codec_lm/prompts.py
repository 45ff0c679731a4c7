"""The prompts of a codec language model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from engines.codec_lm.frames import Codes


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """A speaker's text with the codes of its audio; without codes, the audio is to be generated."""

    text: str
    codes: Tensor | None = None  # (codebooks, frames) int64


class PromptFormat(Protocol):
    """Builds the embeddings of a prompt, (t, dim) on the network's device."""

    @property
    def reads_reference(self) -> bool:
        """Return True if the reference gives the voice."""
        ...

    @property
    def reads_transcript(self) -> bool:
        """Return True if prompts have the reference's transcript; otherwise, it may be empty."""
        ...

    def with_settings(self, settings: Mapping[str, float]) -> "PromptFormat":
        """Return the form of the prompts of a request with these settings."""
        ...

    def voice_codes(self, reference: Turn) -> Codes:
        """Return the codes of the reference's voice with which every frame of the codec ends; empty in most codecs."""
        ...

    def prefix(self, reference: Turn) -> Tensor:
        """Embed the part of a prompt that depends only on the reference; its keys and values are cached."""
        ...

    def rest(self, reference: Turn, turns: Sequence[Turn]) -> Tensor:
        """Embed the rest of a prompt: earlier turns of the speaker, if any, and the turn to speak."""
        ...

    def positions(self, transcript: str, frames: int) -> int:
        """Estimate the positions that a reference takes."""
        ...
