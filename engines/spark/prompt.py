"""Prompts of Spark-TTS: all texts, the voice as global codes, then the semantic codes of the speech so far."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from tokenizers import Tokenizer
from torch import Tensor

from engines.codec_lm.frames import Codes
from engines.codec_lm.language_model import CodeTokens, LanguageModel
from engines.codec_lm.prompts import Turn
from engines.errors import BadCheckpoint
from engines.spark.spec import CLIP_STYLE

START, END_OF_TEXT = "<|task_tts|><|start_content|>", "<|end_content|>"
BEFORE_VOICE, AFTER_VOICE = "<|start_global_token|>", "<|end_global_token|><|start_semantic_token|>"
ENDS = "<|end_semantic_token|>", "<|im_end|>"
GLOBAL, SEMANTIC = "<|bicodec_global_{}|>", "<|bicodec_semantic_{}|>"


@dataclass(frozen=True, slots=True, eq=False)
class SparkPrompt:
    """Embeds prompts of a checkpoint; `engines.codec_lm.prompts` describes it. A frame has a semantic and all global codes."""

    network: LanguageModel
    tokenizer: Tokenizer
    reads_transcript: bool = True  # False = the speech of the reference is not continued
    reads_reference = True

    def with_settings(self, settings: Mapping[str, float]) -> "SparkPrompt":
        """Return the form of the prompts of a request with these settings."""
        return replace(self, reads_transcript=bool(settings[CLIP_STYLE.name]))

    def voice_codes(self, reference: Turn) -> Codes:
        """Return the global codes of the reference."""
        codes: Codes = _coded(reference)[1:, 0].numpy()
        return codes

    def prefix(self, reference: Turn) -> Tensor:
        """Embed nothing: the text to speak precedes everything that depends only on the reference."""
        return self.embed()

    def rest(self, reference: Turn, turns: Sequence[Turn]) -> Tensor:
        """Embed the start, the texts of the reference and of all turns, the voice, and the known semantic codes."""
        read = (reference, *turns) if self.reads_transcript else turns
        text = START + "".join(turn.text for turn in read) + END_OF_TEXT + BEFORE_VOICE
        voice = (token_of(self.tokenizer, GLOBAL.format(0)) + _coded(reference)[1:, 0]).tolist()
        return self.embed(text, voice, AFTER_VOICE, self.semantic_tokens(read))

    def positions(self, transcript: str, frames: int) -> int:
        """Estimate the positions of a transcript and its frames; control tokens and global codes are left out."""
        return frames + len(self.tokens(transcript)) if self.reads_transcript else 0

    def embed(self, *parts: str | Sequence[int]) -> Tensor:
        """Embed texts and tokens in sequence."""
        tokens = [token for part in parts for token in (self.tokens(part) if isinstance(part, str) else part)]
        return self.network.embed(torch.tensor(tokens, dtype=torch.long))

    def semantic_tokens(self, turns: Sequence[Turn]) -> list[int]:
        """Return the tokens of the known semantic codes of turns."""
        known = [turn.codes[0] for turn in turns if turn.codes is not None]
        return (self.network.tokens.first + torch.cat(known)).tolist() if known else []

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text, which may contain control texts."""
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)


def _coded(reference: Turn) -> Tensor:
    if reference.codes is None:
        raise ValueError("the reference has no codes; encode it before the prompt is made")
    return reference.codes


def code_tokens(tokenizer: Tokenizer, codes: int) -> CodeTokens:
    """Return the tokens of the semantic codes. Raises BadCheckpoint."""
    first = token_of(tokenizer, SEMANTIC.format(0))
    if token_of(tokenizer, SEMANTIC.format(codes - 1)) != first + codes - 1:
        raise BadCheckpoint("the semantic tokens of tokenizer.json are not consecutive; download it again")
    return CodeTokens(first=first, codes=codes, steps=1, ends=tuple(token_of(tokenizer, end) for end in ENDS))


def token_of(tokenizer: Tokenizer, text: str) -> int:
    """Return the token of a control text. Raises BadCheckpoint."""
    token = tokenizer.token_to_id(text)
    if token is None:
        raise BadCheckpoint(f"tokenizer.json has no {text}; choose a checkpoint of Spark-TTS")
    return int(token)
