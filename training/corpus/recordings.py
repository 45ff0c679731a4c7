"""A corpus on the disk: `audio.i16`, `index.npz` (offsets and lengths in samples, speakers) and `texts.json` in one folder."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

INDEX = "index.npz"
POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class Recordings:
    """The utterances of a corpus, one after another."""

    audio: NDArray[np.int16]  # (samples,) mono at 24 kHz; if read from a file, mapped into memory and not copied
    offsets: NDArray[np.int64]  # (utterances,) first sample of each utterance
    lengths: NDArray[np.int64]  # in samples
    speakers: NDArray[np.int32]
    texts: list[str]


def read_recordings(folder: Path) -> Recordings:
    """Read the corpus of a folder. Raises FileNotFoundError if there is none."""
    index = np.load(folder / INDEX)
    offsets, lengths = index["offsets"].astype(np.int64), index["lengths"].astype(np.int64)
    texts: list[str] = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    return Recordings(np.memmap(folder / "audio.i16", np.int16, "c"), offsets, lengths, index["speakers"], texts)


def write_index(folder: Path, lengths: Sequence[int], speakers: Sequence[int], texts: Sequence[str]) -> None:
    """Write the index of an existing `audio.i16`."""
    sizes = np.array(lengths, np.int64)
    (folder / "texts.json").write_text(json.dumps(list(texts)), encoding="utf-8")
    part = folder / "index.part.npz"
    np.savez(part, offsets=np.cumsum(sizes) - sizes, lengths=sizes, speakers=np.array(speakers, np.int32))
    part.replace(folder / INDEX)  # written last, so that a folder with an index is complete


def has_recordings(folder: Path) -> bool:
    """Return True if the folder has a complete corpus."""
    return (folder / INDEX).exists()


def await_recordings(folder: Path, seconds: float) -> None:
    """Wait until the corpus in this folder is complete. Raises FileNotFoundError after `seconds`."""
    end = time.monotonic() + seconds
    while not has_recordings(folder):
        if time.monotonic() > end:
            raise FileNotFoundError(f"{folder} still holds no corpus; see what became of the process that makes it")
        time.sleep(POLL_S)
