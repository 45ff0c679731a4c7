"""A corpus folder in memory: what every trainer of this voice reads."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.corpus.spelling import ALPHABET

INDEX = {character: position + 1 for position, character in enumerate(ALPHABET)}  # token 0 is the filler


@dataclass(frozen=True, slots=True)
class Recordings:
    audio: Tensor  # (samples,) int16, on the device where there is room
    offsets: NDArray[np.int64]
    lengths: NDArray[np.int64]
    speakers: NDArray[np.int32]
    texts: list[str]


def load(folder: Path, device: torch.device) -> Recordings:
    index = np.load(folder / "index.npz")
    audio = torch.from_numpy(np.memmap(folder / "audio.i16", np.int16, "c")).to(device)  # no copy in host memory
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    return Recordings(audio, index["offsets"], index["lengths"], index["speakers"], texts)


def tokens_of(text: str) -> NDArray[np.int64]:
    """Token ids of a line that is already in the alphabet."""
    return np.array([INDEX[character] for character in text], np.int64)


def join(first: str, second: str) -> str:
    """The text of two utterances in a row, as inference joins reference and line."""
    first = first.rstrip()
    return f"{first} {second}" if first.endswith((".", "?", "!")) else f"{first}. {second}"
