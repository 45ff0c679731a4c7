"""A loaded Spark-TTS checkpoint: language model, tokenizer, codec, speech features and defaults."""

import math
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
from engines.codec_lm.token_step import TokenStep
from engines.codec_lm.windowed_streams import WindowedStreams
from engines.runtime import quantization as quantizing
from engines.runtime.background import run_in_background
from engines.runtime.placement import Placement
from engines.runtime.quantization import Kind
from engines.runtime.weights import file_digest
from engines.spark import bicodec_files
from engines.spark.bicodec_files import read_bicodec
from engines.spark.codec_windows import WindowedBiCodec
from engines.spark.features import read_features
from engines.spark.files import SparkFiles, locate
from engines.spark.prompt import SparkPrompt, code_tokens
from engines.spark.reference_encoder import BiCodecEncoder
from engines.spark.voice_generator import SparkVoiceDesigner
from engines.text.script import CHARACTERS_PER_S
from engines.types import Progress

POSITIONS = 2_560  # longest row in positions, with its reference: 51 s of speech
# Frames of 20 ms in each packet. The decoder holds the newest 16 back, so the first audio has 2 frames, or 10 beside many rows.
PACKETS = (18, 10, 25, 50)
MANY_ROWS, MORE = 4, 8
TOP_K = 50  # of upstream's inference


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkDefaults:
    """The defaults of the published checkpoint, from its inference code."""

    settings: Mapping[str, float] = field(default_factory=lambda: {"temperature": 0.8, "top_p": 0.95, "clip_style": 1})
    directions: tuple[str, ...] = ()
    group_characters: int = 200  # longer texts lose words
    least_characters: int = 0
    characters: str = ""
    pace_kept: float = 1.0
    own_pace: float = CHARACTERS_PER_S


@dataclass(frozen=True, eq=False)
class SparkModel:
    """A loaded checkpoint, with the parts that `engines.codec_lm.parts.CodecLm` describes."""

    name: str
    network: LanguageModel
    tokenizer: Tokenizer
    codec: WindowedBiCodec
    encoder: BiCodecEncoder
    codec_digest: str
    defaults: SparkDefaults = SparkDefaults()

    @cached_property
    def parameters(self) -> Sequence[Tensor]:
        """The parameters of all networks."""
        return [*self.network.parameters(), *self.codec_parameters]

    @cached_property
    def codec_parameters(self) -> Sequence[Tensor]:
        """The parameters of the codec and of the encoder of references."""
        parts = {self.codec.codec, self.encoder.codec, self.encoder.features}
        return [weight for part in parts for weight in part.parameters()]

    @property
    def cached(self) -> torch.dtype:
        """Return the dtype of keys and values: int8 on a GPU with quantised weights, else the network's dtype."""
        return quantizing.cache_dtype(self.network.layers, self.network.dtype)

    @cached_property
    def prompt(self) -> SparkPrompt:
        """The form of its prompts."""
        return SparkPrompt(self.network, self.tokenizer)

    @cached_property
    def designer(self) -> SparkVoiceDesigner:
        """The generator of voices."""
        codec = self.codec.codec
        return SparkVoiceDesigner(self.prompt, codec.global_codes, math.prod(codec.levels))

    @cached_property
    def frames(self) -> FrameFormat:
        """The frames of its codec."""
        codec = self.codec.codec
        voices = [math.prod(codec.levels)] * codec.global_codes
        return FrameFormat(
            sample_rate=codec.sample_rate,
            hop=codec.hop,
            code_sizes=[self.network.codes, *voices],
            packets=PACKETS,
            many_rows=MANY_ROWS,
            more=MORE,
        )

    def is_end(self, codes: Codes) -> bool:
        """Return True if the code ends the speech."""
        return bool(codes[0] >= self.network.codes)

    def decode_step(self, state: DecodeState, *, compile: bool) -> TokenStep:
        """Build the decode step."""
        return TokenStep(self.network, state, compile)

    def streams(self, slots: int, *, compile: bool) -> WindowedStreams:
        """Build the codec streams."""
        return WindowedStreams(self.codec, slots, compile, (*PACKETS, PACKETS[0] + MORE))

    def filters(self) -> None:
        """Return None: the audio needs no filter."""


def load(
    checkpoint: Checkpoint, placement: Placement, encoder_at: torch.device, quantize: Kind = "none"
) -> Generator[Progress, None, SparkModel]:
    """Load a checkpoint, with the encoder on `encoder_at`; yield progress. Raises BadCheckpoint, BadSetting."""
    device, dtype = placement.device, placement.dtype
    kind = quantizing.check(quantize, device, dtype)
    files = yield from locate(checkpoint)
    codec, encoder = yield from run_in_background(
        Progress(0.5, "reading the codec"), lambda: _codecs(files, placement, encoder_at)
    )
    tokenizer = yield from run_in_background(
        Progress(0.7, "reading the tokenizer"), lambda: read_tokenizer(files.language_model)
    )
    tokens = code_tokens(tokenizer, codec.codec.codes)
    network = yield from run_in_background(
        Progress(0.75, "reading weights"),
        lambda: (
            read_language_model(files.language_model, tokens, positions=POSITIONS, top_k=TOP_K)
            .place(device, dtype)
            .eval()
        ),
    )
    if kind != "none":
        yield Progress(0.95, f"storing weights as {kind}")
        quantizing.quantize([network.layers], kind)
    digest = file_digest(files.codec / bicodec_files.WEIGHTS)
    return SparkModel(files.name, network, tokenizer, codec, encoder, digest)


def _codecs(
    files: SparkFiles, placement: Placement, encoder_at: torch.device
) -> tuple[WindowedBiCodec, BiCodecEncoder]:
    """Read the decoding and the encoding codec, which may be one object. Raises BadCheckpoint."""
    codec = read_bicodec(files.codec).to(placement.device)
    encoder = codec if encoder_at == placement.device else read_bicodec(files.codec).to(encoder_at)
    if placement.dtype != torch.float32:
        codec.decoder.half()  # the encoder does not use it
    return WindowedBiCodec(codec), BiCodecEncoder(encoder, read_features(files.features).to(encoder_at))
