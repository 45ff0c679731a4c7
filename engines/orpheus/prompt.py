"""Prompts of Orpheus: a text between control tokens, then its codes as seven tokens a frame."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from tokenizers import Tokenizer
from torch import Tensor

from engines.codec_lm.frames import NO_CODES, Codes
from engines.codec_lm.language_model import CodeTokens, LanguageModel
from engines.codec_lm.prompts import Turn
from engines.orpheus.spec import OWN_VOICE, TAGS, VOICES

# Token ids of canopylabs' checkpoints, which extend Llama 3's vocabulary.
START_OF_HUMAN, END_OF_HUMAN, START_OF_AI, END_OF_AI = 128_259, 128_260, 128_261, 128_262
START_OF_SPEECH, END_OF_SPEECH, END_OF_TEXT = 128_257, 128_258, 128_009
BEFORE_TEXT, BEFORE_CODES = [START_OF_HUMAN], [END_OF_TEXT, END_OF_HUMAN, START_OF_AI, START_OF_SPEECH]
AFTER_CODES = [END_OF_SPEECH, END_OF_AI]
CODES = CodeTokens(first=128_266, codes=4096, steps=7, ends=(END_OF_SPEECH,))
DIRECTION = re.compile(rf"\(({'|'.join(TAGS)})\)")  # as the text's reader writes it


@dataclass(frozen=True, slots=True, eq=False)
class OrpheusPrompt:
    """Embeds prompts of a checkpoint; `engines.codec_lm.prompts` describes it."""

    network: LanguageModel
    tokenizer: Tokenizer
    voice: str = ""  # a voice of the checkpoint; empty = the reference's

    @property
    def reads_reference(self) -> bool:
        """Return True if the reference gives the voice."""
        return not self.voice

    @property
    def reads_transcript(self) -> bool:
        """Return True if the prompt contains the transcript of the reference."""
        return self.reads_reference

    def with_settings(self, settings: Mapping[str, float]) -> "OrpheusPrompt":
        """Return the prompt of a request with these settings."""
        number = int(settings[OWN_VOICE.name])
        return replace(self, voice=VOICES[number - 1] if number else "")

    def voice_codes(self, reference: Turn) -> Codes:
        """Return no codes: frames do not name their voice."""
        return NO_CODES

    def prefix(self, reference: Turn) -> Tensor:
        """Embed the reference as an earlier turn."""
        return self._embed([reference])

    def rest(self, reference: Turn, turns: Sequence[Turn]) -> Tensor:
        """Embed the turns after the reference."""
        return self._embed(turns)

    def positions(self, transcript: str, frames: int) -> int:
        """Return the positions of a transcript and its frames, without control tokens."""
        return CODES.steps * frames + len(self._text(transcript))

    def _embed(self, turns: Sequence[Turn]) -> Tensor:
        tokens: list[int] = []
        for turn in turns:
            tokens += [*BEFORE_TEXT, *self._text(turn.text), *BEFORE_CODES]
            if turn.codes is not None:
                tokens += [*self.network.tokens.of(turn.codes).tolist(), *AFTER_CODES]
        return self.network.embed(torch.tensor(tokens))

    def _text(self, text: str) -> list[int]:
        tagged = DIRECTION.sub(r"<\1>", text)
        return list(self.tokenizer.encode(f"{self.voice}: {tagged}" if self.voice else tagged).ids)
