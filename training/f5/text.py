"""Text as the embedded F5 voice reads it."""

import numpy as np
from numpy.typing import NDArray

from training.corpus.spelling import ALPHABET

INDEX = {character: position + 1 for position, character in enumerate(ALPHABET)}  # token 0 is the filler


def tokens_of(text: str) -> NDArray[np.int64]:
    """Return the token ids of a line that has only characters of the alphabet."""
    return np.array([INDEX[character] for character in text], np.int64)


def join(first: str, second: str) -> str:
    """Return the text of two utterances in a row, joined as reference and line are at inference."""
    first = first.rstrip()
    return f"{first} {second}" if first.endswith((".", "?", "!")) else f"{first}. {second}"
