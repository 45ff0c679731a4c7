"""Text to tokens by the checkpoint's tiktoken vocabulary, and where the semantic codes stand in it."""

import base64
import json
import re
from pathlib import Path

import tiktoken

from engines.errors import BadCheckpoint

# How text is cut before merging belongs to the trained vocabulary (fish-speech 0.1.0): contractions, each punctuation mark,
# words with what stands before them, each digit, symbols, line ends, spaces.
PATTERN = "|".join(
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
        r"\p{P}",
        r"[^\r\n\p{L}\p{N}]?\p{L}+",
        r"\p{N}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(\?!\S)",
        r"\s+",
    )
)
SEMANTIC = re.compile(r"<\|semantic:(\d+)\|>")
END, INTERLEAVE, SPEAKER = "<|im_end|>", "<|interleave|>", "<|speaker:0|>"


class Tokenizer:
    """Text and control tokens of one checkpoint."""

    def __init__(self, ranks: dict[bytes, int], special: dict[str, int]) -> None:
        self._encoding = tiktoken.Encoding("s1", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens=special)
        semantic = {int(found[1]): token for name, token in special.items() if (found := SEMANTIC.fullmatch(name))}
        if sorted(semantic.values()) != list(range(semantic[0], semantic[0] + len(semantic))):
            raise ValueError("semantic tokens are not in a row")
        self.semantic_begin, self.semantic_count = semantic[0], len(semantic)
        self.end = special[END]
        # encoded once: where they count, tiktoken goes through all the thousands of special tokens at each call
        self._controls = {
            text: self._encoding.encode(text, allowed_special="all") for text in (END, INTERLEAVE, SPEAKER)
        }

    @classmethod
    def read(cls, folder: Path) -> "Tokenizer":
        """tokenizer.tiktoken and special_tokens.json of a checkpoint folder. Raises BadCheckpoint."""
        try:
            special: dict[str, int] = json.loads((folder / "special_tokens.json").read_text(encoding="utf-8"))
            lines = (folder / "tokenizer.tiktoken").read_text().split("\n")
            pairs = [line.split() for line in lines if line.strip()]
            ranks = {base64.b64decode(token): int(rank) for token, rank in pairs if token != "="}
            return cls(ranks, special)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BadCheckpoint(f"{folder.name}: its tokenizer cannot be read ({error}); fetch it again") from error

    def text(self, text: str) -> list[int]:
        """Tokens of a designer's text; what looks like a control token in it is plain text."""
        return self._encoding.encode(text, disallowed_special=())

    def control(self, text: str) -> list[int]:
        """Tokens of a part of the prompt's own frame: END, INTERLEAVE or SPEAKER."""
        return self._controls[text]
