"""A loaded S1 checkpoint: network, tokenizer, codec and defaults."""

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engines.base import Checkpoint
from engines.codec_lm.decode_state import DecodeState
from engines.codec_lm.frames import Codes, FrameFormat
from engines.codec_lm.stateful_streams import DecodeWithState, StatefulStreams
from engines.errors import BadCheckpoint, BadSetting
from engines.runtime import quantization as quantizing
from engines.runtime import weights
from engines.runtime.background import run_in_background
from engines.runtime.placement import Placement
from engines.runtime.quantization import Kind
from engines.s1.codec import Codec
from engines.s1.config import CodecConfig, DualARConfig
from engines.s1.files import S1Files, locate
from engines.s1.frame_step import DualARStep
from engines.s1.markers import MARKERS
from engines.s1.network import DualAR
from engines.s1.prompt import S1Prompt
from engines.s1.spec import SPEC
from engines.s1.timbre import VoiceTimbres
from engines.s1.tokenizer import Tokenizer
from engines.text.script import CHARACTERS_PER_S
from engines.timbre import KnownVoices
from engines.types import Progress

CONSTANTS = ("freqs_cis", "causal_mask")  # buffers that upstream's codec saves and that its configuration defines


@dataclass(frozen=True, slots=True, kw_only=True)
class S1Defaults:
    """The defaults of a checkpoint, from its generation_config.json; the values here are openaudio-s1-mini's."""

    temperature: float = 0.7
    top_p: float = 0.7
    repetition_penalty: float = 1.2
    group_characters: int = 200  # longest group of sentences that is generated at once
    least_characters: int = 0  # shortest line in the training data
    characters: str = ""  # characters it can speak; empty = any
    pace_kept: float = 1.0  # as in EngineInfo
    own_pace: float = CHARACTERS_PER_S
    markers: bool = True  # True if it was trained with markers such as (excited)
    timbre: float = 0.0  # strength of the timbre correction, 0 to 1; see `engines.timbre`

    @property
    def settings(self) -> Mapping[str, float]:
        """Return the default of each setting."""
        return {setting.name: getattr(self, setting.name) for setting in SPEC.settings}

    @property
    def directions(self) -> tuple[str, ...]:
        """Return the stage directions that the checkpoint was taught."""
        return MARKERS if self.markers else ()

    @classmethod
    def read(cls, path: Path | None) -> "S1Defaults":
        """Read generation_config.json, or return the defaults without a path. Raises BadCheckpoint."""
        if path is None:
            return cls()
        try:
            held: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return cls(**{key: held[key] for key in {each.name for each in fields(cls)} & held.keys()})
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise BadCheckpoint(f"{path.name} could not be read ({error}); download it again") from error


@dataclass(frozen=True, eq=False)
class S1Model:
    """A loaded checkpoint, with the parts that `engines.codec_lm.parts.CodecLm` describes."""

    name: str
    network: DualAR
    tokenizer: Tokenizer
    codec: Codec
    encoder: Codec  # the codec itself, or its encoding layers on another device
    codec_digest: str  # of the codec's file; codes depend on the codec that made them
    known: KnownVoices | None  # voices that need no correction; None if the checkpoint lists none
    defaults: S1Defaults = field(default_factory=S1Defaults)

    @cached_property
    def parameters(self) -> list[Tensor]:
        """The parameters of all networks; finding them takes milliseconds."""
        return [weight for part in {self.network, self.codec, self.encoder} for weight in part.parameters()]

    @cached_property
    def codec_parameters(self) -> list[Tensor]:
        """The parameters of the codec and of its encoder."""
        return [weight for part in {self.codec, self.encoder} for weight in part.parameters()]

    @property
    def cached(self) -> torch.dtype:
        """Return the dtype of keys and values: int8 on a GPU with quantised weights, else the network's dtype."""
        return quantizing.cache_dtype(self.network, self.network.dtype)

    @cached_property
    def prompt(self) -> S1Prompt:
        """The form of its prompts."""
        return S1Prompt(self.network, self.tokenizer)

    @cached_property
    def frames(self) -> FrameFormat:
        """The frames of its codec."""
        codec = self.codec.config
        sizes = [self.network.semantic_count, *[codec.residual_size] * (self.network.config.codebooks - 1)]
        return FrameFormat(sample_rate=codec.sample_rate, hop=codec.hop, code_sizes=sizes)

    def is_end(self, codes: Codes) -> bool:
        """Return True if the semantic code ends the speech."""
        return bool(codes[0] >= self.network.semantic_count)

    def decode_step(self, state: DecodeState, *, compile: bool) -> DualARStep:
        """Build the decode step."""
        return DualARStep(self.network, state, compile)

    def streams(self, slots: int, *, compile: bool) -> StatefulStreams:
        """Build the codec streams."""
        return StatefulStreams(self.codec, slots, compile, self._fused_codec)

    def _fused_codec(self) -> DecodeWithState:
        from engines.s1.codec_fused import FusedCodec  # imports Triton, which only CUDA builds of torch bring

        return FusedCodec(self.codec).decode_packets

    @property
    def designer(self) -> None:
        """Return None: it designs no voices."""

    def filters(self) -> VoiceTimbres | None:
        """Build the corrections of the timbre; None if the checkpoint needs none."""
        return VoiceTimbres(self.codec, self.defaults.timbre, self.known) if self.defaults.timbre else None


def load(
    checkpoint: Checkpoint, placement: Placement, encoder_at: torch.device | None = None, quantize: Kind = "none"
) -> Generator[Progress, None, S1Model]:
    """Load a checkpoint, with the encoder on `encoder_at`; yield progress. Raises BadCheckpoint, BadSetting."""
    files = yield from locate(checkpoint)
    kind = _kind(files, placement, quantize)
    device = placement.device
    tokenizer = yield from run_in_background(
        Progress(0.5, "reading the tokenizer"), lambda: Tokenizer.read(files.folder)
    )
    network = yield from run_in_background(
        Progress(0.55, "reading weights"),
        lambda: read_network(files, tokenizer).place(device, placement.dtype).eval(),
    )
    codec, encoder = yield from run_in_background(
        Progress(0.75, "reading the codec"),
        lambda: _codecs(files, network.config.codebooks, placement, encoder_at or device),
    )
    if kind != files.quantized:
        yield Progress(0.95, f"storing weights as {kind}")
        quantizing.quantize([network.layers, network.fast_layers], kind)
    defaults = S1Defaults.read(files.defaults)
    known = KnownVoices.read(files.folder) if defaults.timbre else None
    return S1Model(files.name, network, tokenizer, codec, encoder, files.codec_digest, known, defaults)


def _kind(files: S1Files, placement: Placement, requested: Kind) -> Kind:
    """Return how the weights will be quantised. Raises BadSetting."""
    kind = requested if files.quantized == "none" else files.quantized
    if requested not in ("none", kind):
        raise BadSetting(f"{files.name} is already stored as {kind}; set STUDIO_QUANTIZE to none or {kind}")
    return quantizing.check(kind, placement.device, placement.dtype)


def _codecs(files: S1Files, codebooks: int, placement: Placement, encoder_at: torch.device) -> tuple[Codec, Codec]:
    """Read the decoding and the encoding codec, which may be one object. Raises BadCheckpoint."""
    config = _codec_config(files)
    with weights.unfilled():
        codec = Codec(config).requires_grad_(False)
    weights.fill(codec, plain(weights.read(files.codec)), files.codec.name, adopt=True)
    if config.residual_codebooks + 1 != codebooks:
        raise BadCheckpoint(
            f"{files.codec.name} does not have the number of codebooks in config.json; check both files"
        )
    codec_dtype = torch.float32 if placement.dtype == torch.float32 else torch.float16
    whole = encoder_at == placement.device and codec_dtype == torch.float32
    encoder, codec = (codec, codec) if whole else (codec, codec.split())
    encoder.to(encoder_at, torch.float32).eval()
    if encoder_at.type == "cuda" and encoder is not codec:
        weights.halve(encoder)
    return codec.to(placement.device, codec_dtype).eval(), encoder


def _codec_config(files: S1Files) -> CodecConfig:
    return CodecConfig() if files.codec_config is None else CodecConfig.read(files.codec_config)


def read_network(files: S1Files, tokenizer: Tokenizer) -> DualAR:
    """Read the network to the CPU, with its weights as they are stored. Raises BadCheckpoint."""
    config = DualARConfig.read(files.folder / "config.json")
    with weights.unfilled():
        network = DualAR(
            config,
            tokenizer.semantic_begin,
            tokenizer.semantic_count,
            tokenizer.end,
            _codec_config(files).residual_size,
        ).requires_grad_(False)
    if files.quantized != "none":
        quantizing.register()
    held = weights.read(files.weights)
    inner = held.get("state_dict", held)
    if not isinstance(inner, dict):
        raise BadCheckpoint(f"{files.weights.name} has no named tensors; choose a checkpoint file")
    state = {name.removeprefix("model."): tensor for name, tensor in inner.items()}
    weights.fill(network, state, files.weights.name, adopt=True)
    return network


def plain(held: dict[str, Any]) -> dict[str, Tensor]:
    """Return the codec's tensors from any of upstream's layouts, with each weight norm folded into its weight."""
    held = held.get("state_dict", held)
    if any(name.startswith("generator.") for name in held):
        held = {name.removeprefix("generator."): value for name, value in held.items() if name.startswith("generator.")}
    return weights.fold_weight_norms(
        {name: value for name, value in held.items() if not name.endswith(CONSTANTS)}, "the codec"
    )
