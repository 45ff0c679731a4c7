"""Convert text to tokens with the checkpoint's tiktoken vocabulary, which also contains the semantic codes."""

import base64
import json
import re
from pathlib import Path

import tiktoken

from engines.errors import BadCheckpoint

# The split before merging belongs to the trained vocabulary (fish-speech 0.1.0): contractions, single punctuation marks,
# words with a preceding character, single digits, symbols, line ends, spaces.
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
    """The text and control tokens of one checkpoint."""

    def __init__(self, ranks: dict[bytes, int], special: dict[str, int]) -> None:
        self._encoding = tiktoken.Encoding("s1", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens=special)
        semantic = {int(found[1]): token for name, token in special.items() if (found := SEMANTIC.fullmatch(name))}
        if sorted(semantic.values()) != list(range(semantic[0], semantic[0] + len(semantic))):
            raise ValueError("semantic tokens are not consecutive")
        self.semantic_begin, self.semantic_count = semantic[0], len(semantic)
        self.end = special[END]
        # Encoded once: if special tokens are allowed, tiktoken searches for all of them (thousands) at each call.
        self._controls = {
            text: self._encoding.encode(text, allowed_special="all") for text in (END, INTERLEAVE, SPEAKER)
        }

    @classmethod
    def read(cls, folder: Path) -> "Tokenizer":
        """Read tokenizer.tiktoken and special_tokens.json of a checkpoint folder. Raises BadCheckpoint."""
        try:
            special: dict[str, int] = json.loads((folder / "special_tokens.json").read_text(encoding="utf-8"))
            lines = (folder / "tokenizer.tiktoken").read_text().split("\n")
            pairs = [line.split() for line in lines if line.strip()]
            ranks = {base64.b64decode(token): int(rank) for token, rank in pairs if token != "="}
            return cls(ranks, special)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BadCheckpoint(f"{folder.name}: reading its tokenizer failed ({error}); download it again") from error

    def text(self, text: str) -> list[int]:
        """Return the tokens of a text; control tokens in it are read as plain text."""
        return self._encoding.encode(text, disallowed_special=())

    def control(self, text: str) -> list[int]:
        """Return the tokens of a control sequence of the prompt: END, INTERLEAVE or SPEAKER."""
        return self._controls[text]
