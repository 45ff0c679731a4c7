"""The input of the dual-AR model: a byte tokenizer, and sequences in the layout of fish-speech 0.1.0's prompts.

A sequence is <|interleave|> and then, for each utterance of a speaker, <|speaker:0|> TEXT CODES <|im_end|>. At inference, it
ends before the codes of the last utterance.
"""

import base64
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SEMANTIC_CODES = 1024
SPECIAL = (
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|pad|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|phoneme_start|>",
    "<|phoneme_end|>",
    "<|tool_call_start|>",
    "<|tool_call_end|>",
    "<|text|>",
    "<|voice|>",
    "<|interleave|>",
    "<|audio_start|>",
    "<|audio_end|>",
    "<|audio|>",
    "<|speaker:0|>",
)
BYTES = 256
IM_END = BYTES + SPECIAL.index("<|im_end|>")
INTERLEAVE = BYTES + SPECIAL.index("<|interleave|>")
SPEAKER = BYTES + SPECIAL.index("<|speaker:0|>")
SEMANTIC = BYTES + len(SPECIAL)
VOCABULARY = (SEMANTIC + SEMANTIC_CODES + 15) // 16 * 16

Rows = NDArray[np.int16]


def text_rows(text: str, codebooks: int) -> Rows:
    """Return rows (n, 1 + codebooks) of a line: <|speaker:0|> and the bytes of the text."""
    tokens = [SPEAKER, *text.encode()]
    rows = np.zeros((len(tokens), 1 + codebooks), np.int16)
    rows[:, 0] = tokens
    return rows


def code_rows(codes: NDArray[np.int16]) -> Rows:
    """Return rows (t + 1, 1 + codebooks) of codes (t, codebooks): semantic tokens with their codes, then <|im_end|>."""
    rows = np.zeros((len(codes) + 1, 1 + codes.shape[1]), np.int16)
    rows[:-1, 0] = codes[:, 0] + SEMANTIC
    rows[:-1, 1:] = codes
    rows[-1, 0] = IM_END
    return rows


def start_row(codebooks: int) -> Rows:
    rows = np.zeros((1, 1 + codebooks), np.int16)
    rows[0, 0] = INTERLEAVE
    return rows


def prompt(line: str, references: list[tuple[str, NDArray[np.int16]]], codebooks: int) -> Rows:
    """Return the prompt of a line: the references with their codes, then the text of the line."""
    parts = [start_row(codebooks)]
    for text, codes in references:
        parts += [text_rows(text, codebooks), code_rows(codes)]
    return np.concatenate([*parts, text_rows(line, codebooks)])


def write_tokenizer(folder: Path) -> None:
    """Write tokenizer.tiktoken and special_tokens.json in the form of FishTokenizer."""
    ranks = (f"{base64.b64encode(bytes([rank])).decode()} {rank}\n" for rank in range(BYTES))
    (folder / "tokenizer.tiktoken").write_text("".join(ranks), encoding="utf-8")
    names = [*SPECIAL, *(f"<|semantic:{code}|>" for code in range(SEMANTIC_CODES))]
    numbered = {name: BYTES + place for place, name in enumerate(names)}
    (folder / "special_tokens.json").write_text(json.dumps(numbered, indent=0), encoding="utf-8")
