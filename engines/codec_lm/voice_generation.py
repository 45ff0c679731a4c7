"""Interfaces of a model that generates a voice from a description and then speaks with this voice."""

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Protocol

from torch import Tensor

from engines.codec_lm.decode_state import Sampling
from engines.codec_lm.prompts import PromptFormat
from engines.types import VoiceDesign


class VoiceGeneration(Protocol):
    """The generation of one voice. It does not touch the rows of the batch."""

    @property
    def codes(self) -> Future[Tensor]:
        """Return the (codebooks, 1) codes of a frame in this voice; they are known after the last step."""
        ...

    @property
    def progress(self) -> float:
        """Return the progress, 0 to 1."""
        ...

    @property
    def prompt(self) -> PromptFormat:
        """Return the form of the prompts that speak with this voice. It needs the codes."""
        ...

    def step(self) -> None:
        """Generate a token of the voice. After an error, the same step can run again. Raises torch.OutOfMemoryError."""
        ...


class VoiceDesigner(Protocol):
    """Generates voices."""

    def accepts(self, codes: Sequence[int]) -> bool:
        """Return True if these can be the codes of a voice that it generated; they may come from elsewhere."""
        ...

    def start(self, design: VoiceDesign, text: str, sampling: Sampling) -> VoiceGeneration:
        """Start to generate a voice for the first text that it will speak. Nothing runs before the first step."""
        ...
