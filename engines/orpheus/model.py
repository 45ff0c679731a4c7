"""A loaded Orpheus checkpoint: language model, tokenizer, codec and defaults."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import torch
from tokenizers import Tokenizer
from torch import Tensor

from engines.base import Checkpoint
from engines.codec_lm.decode_state import DecodeState
from engines.codec_lm.frames import Codes, FrameFormat
from engines.codec_lm.hub_files import read_language_model, read_tokenizer
from engines.codec_lm.language_model import LanguageModel
from engines.codec_lm.packet_batches import Decode
from engines.codec_lm.token_step import TokenStep
from engines.codec_lm.windowed_streams import WindowedStreams
from engines.errors import BadCheckpoint
from engines.orpheus.files import locate
from engines.orpheus.prompt import CODES, OrpheusPrompt
from engines.orpheus.snac import Snac
from engines.orpheus.snac_files import read_codec
from engines.orpheus.spec import SPEC, TAGS
from engines.runtime import quantization as quantizing
from engines.runtime.background import run_in_background
from engines.runtime.placement import Placement
from engines.runtime.quantization import Kind
from engines.runtime.weights import file_digest
from engines.text.script import CHARACTERS_PER_S
from engines.types import Progress

POSITIONS = 2_560  # longest row in positions, with its reference: 31 s of speech
PACKETS = (3, 1, 1, 2, 3, 4)  # frames of 85 ms; audio ends 2.5 frames before the newest one
MANY_ROWS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class OrpheusDefaults:
    """The defaults of the published checkpoints, from their inference code."""

    settings: Mapping[str, float] = field(
        default_factory=lambda: {"temperature": 0.6, "top_p": 0.8, "repetition_penalty": 1.1, "own_voice": 0}
    )
    directions: tuple[str, ...] = TAGS
    group_characters: int = 160  # the published checkpoints lose text of more than 14 s
    least_characters: int = 0
    characters: str = ""
    pace_kept: float = 1.0
    own_pace: float = CHARACTERS_PER_S


@dataclass(frozen=True, eq=False)
class OrpheusModel:
    """A loaded checkpoint, with the parts that `engines.codec_lm.parts.CodecLm` describes."""

    name: str
    network: LanguageModel
    tokenizer: Tokenizer
    codec: Snac
    encoder: Snac  # the codec itself, or a copy on another device
    codec_digest: str
    defaults: OrpheusDefaults = OrpheusDefaults()

    @cached_property
    def parameters(self) -> Sequence[Tensor]:
        """The parameters of all networks."""
        return [*self.network.parameters(), *self.codec_parameters]

    @cached_property
    def codec_parameters(self) -> Sequence[Tensor]:
        """The parameters of the codec and of its encoder."""
        return [weight for part in {self.codec, self.encoder} for weight in part.parameters()]

    @property
    def cached(self) -> torch.dtype:
        """Return the dtype of keys and values: int8 on a GPU with quantised weights, else the network's dtype."""
        return quantizing.cache_dtype(self.network.layers, self.network.dtype)

    @cached_property
    def prompt(self) -> OrpheusPrompt:
        """The form of its prompts."""
        return OrpheusPrompt(self.network, self.tokenizer)

    @cached_property
    def frames(self) -> FrameFormat:
        """The frames of its codec."""
        return FrameFormat(
            sample_rate=self.codec.sample_rate,
            hop=self.codec.hop,
            code_sizes=[CODES.codes] * CODES.steps,
            steps_per_frame=CODES.steps,
            packets=PACKETS,
            many_rows=MANY_ROWS,
        )

    def is_end(self, codes: Codes) -> bool:
        """Return True if the code ends the speech."""
        return bool(codes[0] >= CODES.codes)

    def decode_step(self, state: DecodeState, *, compile: bool) -> TokenStep:
        """Build the decode step."""
        return TokenStep(self.network, state, compile)

    def streams(self, slots: int, *, compile: bool) -> WindowedStreams:
        """Build the codec streams."""
        return WindowedStreams(self.codec, slots, compile, PACKETS, self._fused_codec)

    def _fused_codec(self) -> Decode:
        from engines.orpheus.snac_fused import FusedSnac  # imports Triton, which only CUDA builds of torch bring

        return FusedSnac(self.codec).decode_windows

    @property
    def designer(self) -> None:
        """Return None: it designs no voices."""

    def filters(self) -> None:
        """Return None: the audio needs no filter."""


def load(
    checkpoint: Checkpoint, placement: Placement, encoder_at: torch.device, quantize: Kind = "none"
) -> Generator[Progress, None, OrpheusModel]:
    """Load a checkpoint, with the encoder on `encoder_at`; yield progress. Raises BadCheckpoint, BadSetting."""
    device, dtype = placement.device, placement.dtype
    kind = quantizing.check(quantize, device, dtype)
    files = yield from locate(checkpoint)
    tokenizer = yield from run_in_background(
        Progress(0.5, "reading the tokenizer"), lambda: read_tokenizer(files.folder)
    )
    network = yield from run_in_background(
        Progress(0.55, "reading weights"),
        lambda: read_language_model(files.folder, CODES, positions=POSITIONS).place(device, dtype).eval(),
    )
    codec = yield from run_in_background(Progress(0.9, "reading the codec"), lambda: read_codec(files.codec).to(device))
    if (codec.codebooks, codec.code_size) != (CODES.steps, CODES.codes):
        raise BadCheckpoint(
            f"{files.codec.name} has {codec.codebooks} codes of {codec.code_size} values in a frame, and {SPEC.title} "
            f"has {CODES.steps} of {CODES.codes}; set STUDIO_ORPHEUS_CODEC to SNAC 24 kHz"
        )
    encoder = codec if encoder_at == device else read_codec(files.codec).to(encoder_at)
    if kind != "none":
        yield Progress(0.95, f"storing weights as {kind}")
        quantizing.quantize([network.layers], kind)
    return OrpheusModel(files.name, network, tokenizer, codec, encoder, file_digest(files.codec))
