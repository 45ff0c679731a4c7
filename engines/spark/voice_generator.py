"""Generate a voice from its description, as Spark-TTS was trained to: attributes first, then the global codes of the voice.

The model continues the same tokens with the speech, so each prompt of the voice repeats the generated tokens.
"""

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor

from engines.codec_lm import kv_cache
from engines.codec_lm.decode_state import Sampling
from engines.codec_lm.frames import Codes
from engines.codec_lm.noise import exponential, frame_keys
from engines.codec_lm.prompts import Turn
from engines.codec_lm.sampling import choose_from_scaled
from engines.spark.prompt import AFTER_VOICE, BEFORE_VOICE, END_OF_TEXT, GLOBAL, SparkPrompt, token_of
from engines.types import GENDERS, LEVELS, VoiceDesign

START = "<|task_controllable_tts|><|start_content|>"
STYLE = "<|start_style_label|><|gender_{}|><|pitch_label_{}|><|speed_label_{}|><|end_style_label|>"
# Tokens that are allowed before the global codes. `BEFORE_VOICE` is one of them and starts the codes.
ATTRIBUTE = re.compile(
    r"<\|(?:(?:age|emotion|gender|loudness|mel|pitch|speed)_\w*\d|(?:start|end)_acoustic_token|start_global_token)\|>"
)
ATTRIBUTES_MAX = 24  # then `BEFORE_VOICE` is forced
VOICE_NOISE = 1  # number of this noise of a seed; the noise of speech has number 0


@dataclass(frozen=True, slots=True, eq=False)
class DesignedPrompt:
    """Embeds prompts of a generated voice; `engines.codec_lm.prompts` describes it."""

    form: SparkPrompt
    style: str
    generated: Sequence[int]  # tokens of the voice
    reads_reference = True
    reads_transcript = False

    def with_settings(self, settings: Mapping[str, float]) -> "DesignedPrompt":
        """Return this form: settings do not change it."""
        return self

    def voice_codes(self, reference: Turn) -> Codes:
        """Return the global codes of the voice."""
        return self.form.voice_codes(reference)

    def prefix(self, reference: Turn) -> Tensor:
        """Embed nothing: the text to speak follows the start."""
        return self.form.embed()

    def rest(self, reference: Turn, turns: Sequence[Turn]) -> Tensor:
        """Embed the start, the texts, the description, the voice, and the known semantic codes."""
        text = START + "".join(turn.text for turn in turns) + END_OF_TEXT + self.style
        return self.form.embed(text, self.generated, AFTER_VOICE, self.form.semantic_tokens(turns))

    def positions(self, transcript: str, frames: int) -> int:
        """Estimate the positions of the description and the voice."""
        return len(self.form.tokens(self.style)) + len(self.generated)


class SparkVoiceGeneration:
    """Generates the tokens of a voice; `engines.codec_lm.voice_generation.VoiceGeneration` describes it."""

    def __init__(self, designer: "SparkVoiceDesigner", style: str, text: str, sampling: Sampling) -> None:
        self._designer, self._style, self._sampling = designer, style, sampling
        self._start = designer.form.tokens(START + text + END_OF_TEXT + style)
        self._tokens: list[int] = []
        self._read = 0  # tokens whose keys and values are in the cache
        self._cache = torch.empty(0)
        self._candidates = self._head = torch.empty(0)  # tokens that may follow, and their rows of the head
        self.codes: Future[Tensor] = Future()

    @property
    def progress(self) -> float:
        """The share of the most tokens that a voice can have, or 1 at the end."""
        return 1.0 if self.codes.done() else len(self._tokens) / (ATTRIBUTES_MAX + 1 + self._designer.codes)

    @property
    def prompt(self) -> DesignedPrompt:
        """The form of the prompts that speak with this voice."""
        return DesignedPrompt(self._designer.form, self._style, self._tokens)

    @torch.inference_mode()
    def step(self) -> None:
        """Generate a token of the voice."""
        designer, network = self._designer, self._designer.form.network
        if not len(self._cache):
            length = len(self._start) + ATTRIBUTES_MAX + 1 + designer.codes
            self._cache = kv_cache.allocate(network.stack, 1, length, network.dtype, network.device)
        row = [*self._start, *self._tokens]
        positions = torch.arange(self._read, len(row), device=network.device)[None]
        x = network.embed(row[self._read :])[None]
        hidden = network.hidden_states(x, positions, self._cache[..., : len(row), :])[:, -1]
        self._tokens.append(self._choose(hidden, designer.candidates(self._tokens)))
        self._read = len(row)
        voice = designer.voice(self._tokens)
        if voice is not None:
            self._cache = self._candidates = self._head = torch.empty(0)
            self.codes.set_result(torch.tensor([0, *voice])[:, None])

    def _choose(self, hidden: Tensor, candidates: Tensor) -> int:
        """Sample one of the candidate tokens from a hidden state (1, dim)."""
        sampling, network = self._sampling, self._designer.form.network
        if candidates is not self._candidates:
            self._candidates, self._head = candidates, network.head_rows(candidates)
        logits = F.linear(network.norm(hidden), self._head).float()
        keys = frame_keys(*torch.tensor([[sampling.seed], [len(self._tokens)]]))
        noise = exponential(keys, VOICE_NOISE, len(candidates)).to(logits.device)
        temperature, top_p = torch.tensor([sampling.temperature, sampling.top_p], device=logits.device)[:, None, None]
        chosen = choose_from_scaled(logits, noise, temperature, top_p, network.top_k)
        return int(candidates[int(chosen)])


@dataclass(frozen=True, eq=False)
class SparkVoiceDesigner:
    """Generates voices; `engines.codec_lm.voice_generation.VoiceDesigner` describes it."""

    form: SparkPrompt
    codes: int  # global codes of a voice
    sizes: int  # values of a global code

    def accepts(self, codes: Sequence[int]) -> bool:
        """Return True if these can be the global codes of a voice."""
        return len(codes) == self.codes and all(0 <= code < self.sizes for code in codes)

    def start(self, design: VoiceDesign, text: str, sampling: Sampling) -> SparkVoiceGeneration:
        """Start to generate a voice for the first text that it will speak."""
        levels = LEVELS.index(design.pitch), LEVELS.index(design.pace)
        return SparkVoiceGeneration(self, STYLE.format(GENDERS.index(design.gender), *levels), text, sampling)

    @cached_property
    def _first_code(self) -> int:
        return token_of(self.form.tokenizer, GLOBAL.format(0))

    @cached_property
    def _start_of_codes(self) -> int:
        return token_of(self.form.tokenizer, BEFORE_VOICE)

    @cached_property
    def _codes(self) -> Tensor:
        return torch.arange(self._first_code, self._first_code + self.sizes)

    @cached_property
    def _attributes(self) -> Tensor:
        vocabulary = self.form.tokenizer.get_vocab()
        return torch.tensor(sorted(token for text, token in vocabulary.items() if ATTRIBUTE.fullmatch(text)))

    def candidates(self, tokens: Sequence[int]) -> Tensor:
        """Return the tokens that may follow these tokens of a voice."""
        if self._start_of_codes in tokens:
            return self._codes
        return self._attributes if len(tokens) < ATTRIBUTES_MAX else torch.tensor([self._start_of_codes])

    def voice(self, tokens: Sequence[int]) -> list[int] | None:
        """Return the global codes among the tokens of a voice; None if some are missing."""
        if self._start_of_codes not in tokens:
            return None
        found = tokens[tokens.index(self._start_of_codes) + 1 :]
        return [token - self._first_code for token in found] if len(found) == self.codes else None
