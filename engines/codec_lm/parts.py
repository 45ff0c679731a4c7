"""The parts that an engine supplies to the runtime of codec language models."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Protocol

import torch
from torch import Tensor

from engines.base import Checkpoint
from engines.codec_lm.decode_state import DecodeState
from engines.codec_lm.frames import Codes, FrameFormat
from engines.codec_lm.network import Network
from engines.codec_lm.prompts import PromptFormat
from engines.codec_lm.stepping import DecodeStep
from engines.codec_lm.streaming import CodecStreams, Filters
from engines.codec_lm.voice_generation import VoiceDesigner
from engines.runtime.placement import Placement
from engines.runtime.quantization import Kind
from engines.types import Progress


class AudioEncoder(Protocol):
    """Encodes references."""

    @property
    def sample_rate(self) -> int:
        """Return the sample rate of the audio that it encodes."""
        ...

    def encode(self, samples: Tensor) -> Tensor:
        """Encode (n,) samples to (codebooks, frames) int64 codes."""
        ...

    def warm(self) -> Iterable[object]:
        """Record CUDA graphs, if the encoder uses any; the scheduler steps other work between two items."""
        ...


class SpeechDefaults(Protocol):
    """The defaults of a checkpoint."""

    @property
    def settings(self) -> Mapping[str, float]:
        """Return the default of each of the engine's settings."""
        ...

    @property
    def directions(self) -> tuple[str, ...]:
        """Return the stage directions that the checkpoint was taught."""
        ...

    @property
    def group_characters(self) -> int:
        """Return the longest group of sentences that is generated at once."""
        ...

    @property
    def least_characters(self) -> int:
        """Return the length of the shortest line in the training data."""
        ...

    @property
    def characters(self) -> str:
        """Return the characters that the checkpoint can speak; empty = any."""
        ...

    @property
    def pace_kept(self) -> float:
        """Return the value of `EngineInfo.pace_kept`."""
        ...

    @property
    def own_pace(self) -> float:
        """Return the value of `EngineInfo.own_pace`."""
        ...


class CodecLm(Protocol):
    """A loaded checkpoint, with everything that the runtime needs from an engine."""

    @property
    def name(self) -> str:
        """Return the checkpoint's name."""
        ...

    @property
    def network(self) -> Network:
        """Return the language model."""
        ...

    @property
    def prompt(self) -> PromptFormat:
        """Return the form of its prompts."""
        ...

    @property
    def frames(self) -> FrameFormat:
        """Return the frames of its codec."""
        ...

    @property
    def encoder(self) -> AudioEncoder:
        """Return the encoder of references."""
        ...

    @property
    def codec_digest(self) -> str:
        """Return the digest of the codec; codes depend on the codec that made them."""
        ...

    @property
    def defaults(self) -> SpeechDefaults:
        """Return the checkpoint's defaults."""
        ...

    @property
    def parameters(self) -> Sequence[Tensor]:
        """Return the parameters of all networks."""
        ...

    @property
    def codec_parameters(self) -> Sequence[Tensor]:
        """Return the parameters of the codec and of its encoder."""
        ...

    @property
    def cached(self) -> torch.dtype:
        """Return the dtype of keys and values: the network's, or int8."""
        ...

    def is_end(self, codes: Codes) -> bool:
        """Return True if the codes of a step end the speech."""
        ...

    def decode_step(self, state: DecodeState, *, compile: bool) -> DecodeStep:
        """Build the decode step of this state; `compile` allows backends other than PyTorch."""
        ...

    def streams(self, slots: int, *, compile: bool) -> CodecStreams:
        """Build the codec streams."""
        ...

    @property
    def designer(self) -> VoiceDesigner | None:
        """Return the generator of voices; None if the engine's spec does not have `designs`."""
        ...

    def filters(self) -> Filters | None:
        """Build the filters of the audio; None if the checkpoint needs none."""
        ...


class Loader(Protocol):
    """Loads the checkpoints of an engine."""

    def __call__(
        self, checkpoint: Checkpoint, placement: Placement, encoder_at: torch.device, quantize: Kind
    ) -> Generator[Progress, None, CodecLm]:
        """Load a checkpoint, with the encoder on `encoder_at`; yield progress. Raises BadCheckpoint, BadSetting."""
        ...
