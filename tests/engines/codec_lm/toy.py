"""A tiny codec language model with random weights: Llama's layers, one token a step, and a codec that is not causal."""

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor, nn

from engines.base import Checkpoint
from engines.codec_lm.config import StackConfig
from engines.codec_lm.decode_state import DecodeState
from engines.codec_lm.engine import CodecLmEngine
from engines.codec_lm.frames import NO_CODES, Codes, FrameFormat
from engines.codec_lm.layers import RMSNorm, exact_rotary_table
from engines.codec_lm.prompts import Turn
from engines.codec_lm.settings import SAMPLING
from engines.codec_lm.token_step import TokenStep
from engines.codec_lm.transformer import CachedLayer, Places
from engines.codec_lm.windowed_streams import WindowedStreams
from engines.registry import EngineOptions, Spec
from engines.runtime.placement import Placement
from engines.types import Progress

SPEC = Spec(
    name="toy",
    title="Toy",
    good_at="Hums without words.",
    settings=SAMPLING,
    reference_max_s=10.0,
    factory="tests.engines.codec_lm.toy:make_engine",
    licences={"embedded": "none"},
)
BYTES, CODES, STEPS = 256, 32, 2  # tokens of text, codes of a step, steps of a frame
END = CODES
RATE, HOP = 8_000, 800
FRAMES = FrameFormat(sample_rate=RATE, hop=HOP, code_sizes=(CODES,) * STEPS, steps_per_frame=STEPS)
STACK = StackConfig(
    dim=32, layers=2, heads=4, kv_heads=2, head_dim=8, intermediate=64, rope_base=5e5, norm_eps=1e-5,
    qkv_bias=True, o_bias=False, qk_norm=False, rope_halves=True,
)  # fmt: skip


class ToyNetwork(nn.Module):
    """A transformer like Llama's over bytes and codes; each step of a frame has separate codes."""

    table: Tensor
    stack, max_positions, step_codes = STACK, 512, 1
    codes, ends, period, top_k, penalty_steps = CODES, 1, STEPS, 0, 16

    def __init__(self) -> None:
        super().__init__()
        self.embeddings = nn.Embedding(BYTES + STEPS * CODES, STACK.dim)
        self.layers = nn.ModuleList(CachedLayer(STACK) for _ in range(STACK.layers))
        self.norm = RMSNorm(STACK.dim, STACK.norm_eps)
        self.head = nn.Linear(STACK.dim, STEPS * CODES + 1, bias=False)
        table = exact_rotary_table(self.max_positions, STACK.head_dim, STACK.rope_base)
        self.register_buffer("table", table, persistent=False)

    @property
    def device(self) -> torch.device:
        return self.norm.weight.device

    @property
    def dtype(self) -> torch.dtype:
        return self.norm.weight.dtype

    def hidden_states(self, x: Tensor, positions: Tensor, cache: Tensor, slots: Tensor | None = None) -> Tensor:
        places = Places.of_rows(self.table, positions, cache, STACK.group, slots)
        for layer, held in zip(self.layers, cache, strict=True):
            x = layer(x, places, held)
        return x

    @property
    def code_head(self) -> Tensor:
        return self.head.weight

    @property
    def code_embeddings(self) -> Tensor:
        return self.embeddings.weight[BYTES:]


@dataclass(frozen=True, slots=True)
class ToyPrompt:
    """A reference is its text and its codes; the text to speak follows."""

    network: ToyNetwork
    reads_reference = True
    reads_transcript = True

    def with_settings(self, settings: Mapping[str, float]) -> "ToyPrompt":
        return self

    def voice_codes(self, reference: Turn) -> Codes:
        return NO_CODES

    def prefix(self, reference: Turn) -> Tensor:
        return self._embed([reference])

    def rest(self, reference: Turn, turns: Sequence[Turn]) -> Tensor:
        return self._embed(turns)

    def positions(self, transcript: str, frames: int) -> int:
        return len(transcript.encode()) + STEPS * frames

    def _embed(self, turns: Sequence[Turn]) -> Tensor:
        tokens: list[int] = []
        for turn in turns:
            tokens += turn.text.encode()
            if turn.codes is not None:
                codes = turn.codes.T.flatten().tolist()
                tokens += [BYTES + step % STEPS * CODES + code for step, code in enumerate(codes)]
        return self.network.embeddings(torch.tensor(tokens, device=self.network.device))


class ToyCodec(nn.Module):
    """Decodes a frame from its codes and those of both neighbours; the audio also depends on the frame's number."""

    codebooks, hop, sample_rate, before, after = STEPS, HOP, RATE, 1, 1
    parts = parts_after = 1

    def __init__(self) -> None:
        super().__init__()
        self.vectors = nn.Embedding(STEPS * CODES, 16)
        self.mix = nn.Conv1d(16, 16, 3, padding=1)
        self.sound = nn.Linear(16, HOP)

    @property
    def decoding_weight(self) -> Tensor:
        return self.sound.weight

    def decode_windows(self, starts: Tensor, codes: Tensor) -> Tensor:
        steps = torch.arange(STEPS, device=codes.device)[:, None]
        x = self.vectors(codes + steps * CODES).sum(1)
        frames = torch.tanh(self.sound(torch.tanh(self.mix(x.transpose(1, 2))).transpose(1, 2)))
        numbers = starts[:, None] + torch.arange(codes.shape[2], device=codes.device)
        return (0.3 * frames * (1.5 + torch.cos(numbers))[..., None]).flatten(1)

    def warm(self) -> Sequence[object]:
        return ()

    def encode(self, samples: Tensor) -> Tensor:
        padded = nn.functional.pad(samples, (0, -len(samples) % HOP)).view(-1, HOP)
        levels = torch.stack((padded.abs().mean(1), padded.abs().amax(1)))
        return (levels.clamp(0, 1) * (CODES - 1)).long()


@dataclass(frozen=True, slots=True)
class ToyDefaults:
    settings: Mapping[str, float] = field(
        default_factory=lambda: {"temperature": 1.0, "top_p": 0.9, "repetition_penalty": 1.1}
    )
    directions: tuple[str, ...] = ()
    group_characters: int = 60
    least_characters: int = 0
    characters: str = ""
    pace_kept: float = 1.0
    own_pace: float = 14.0


@dataclass(frozen=True, eq=False)
class ToyModel:
    network: ToyNetwork
    codec: ToyCodec
    encoder: ToyCodec
    name: str = "random"
    codec_digest: str = "toy"
    defaults: ToyDefaults = ToyDefaults()
    frames: FrameFormat = FRAMES

    @cached_property
    def prompt(self) -> ToyPrompt:
        return ToyPrompt(self.network)

    @property
    def parameters(self) -> list[Tensor]:
        return [*self.network.parameters(), *self.codec_parameters]

    @property
    def codec_parameters(self) -> list[Tensor]:
        return list(self.codec.parameters())

    @property
    def cached(self) -> torch.dtype:
        return self.network.dtype

    def is_end(self, codes: Codes) -> bool:
        return int(codes[0]) == END

    def decode_step(self, state: DecodeState, *, compile: bool) -> TokenStep:
        return TokenStep(self.network, state, compile)

    def streams(self, slots: int, *, compile: bool) -> WindowedStreams:
        return WindowedStreams(self.codec, slots, compile)

    @property
    def designer(self) -> None:
        return None

    def filters(self) -> None:
        return None


def load(
    checkpoint: Checkpoint, placement: Placement, encoder_at: torch.device, quantize: str = "none"
) -> Generator[Progress, None, ToyModel]:
    """Draw the weights; the end has a probability of about 1 %."""
    yield Progress(0.5, "drawing weights")
    with torch.random.fork_rng():
        torch.manual_seed(1)
        network, codec, encoder = ToyNetwork(), ToyCodec(), ToyCodec()
        with torch.no_grad():
            network.embeddings.weight.mul_(2.0 / math.sqrt(STACK.dim) * 4)
            network.head.weight.mul_(3.0)
    for part in (network, codec, encoder):
        part.eval().requires_grad_(False)
    network.to(placement.device, placement.dtype)
    network.table = network.table.float()
    return ToyModel(network, codec.to(placement.device), encoder.to(encoder_at))


def make_engine(options: EngineOptions) -> CodecLmEngine:
    """Build the engine."""
    return CodecLmEngine(SPEC, load, options)
