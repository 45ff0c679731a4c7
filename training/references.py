"""The recorded references in `assets/voices`, and the folders of the shipped checkpoints.

A reference is NAME.txt, the spoken text, next to NAME.wav or NAME.flac: mono, 16 bit, 24 kHz.
"""

from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

RATE_HZ = 24_000
VOICES = Path(__file__).parents[1] / "assets" / "voices"
SHIPPED = VOICES / "references"
HELDOUT = VOICES / "heldout"
STRANGERS = VOICES / "strangers"
NATURAL = VOICES / "natural"
# The first seconds of natural speakers, in 12 bits, like those that both engines were trained on.
KNOWN = VOICES / "known"

Clip = NDArray[np.float32]  # (samples,) in [-1, 1] at RATE_HZ
ReferenceClips = dict[str, tuple[Clip, str]]  # name -> clip and transcript


def checkpoint(engine: str) -> Path:
    """Return the folder of the shipped checkpoint of `f5` or `s1`."""
    return VOICES / engine / "checkpoint"


def read_references(folder: Path) -> ReferenceClips:
    """Return every reference in a folder, by name."""
    paths = sorted((*folder.glob("*.wav"), *folder.glob("*.flac")), key=lambda path: path.stem)
    return {path.stem: (read_clip(path), transcript(path)) for path in paths}


def transcript(path: Path) -> str:
    """Return the transcript of the clip at this path."""
    return path.with_suffix(".txt").read_text(encoding="utf-8").strip()


def read_clip(path: Path) -> Clip:
    """Return the samples of a mono 24 kHz 16-bit file. Raises ValueError for any other file."""
    with soundfile.SoundFile(path) as file:
        if (file.channels, file.subtype, file.samplerate) != (1, "PCM_16", RATE_HZ):
            raise ValueError(f"{path}: the file must be mono, 16 bit and {RATE_HZ} Hz; record it again")
        clip: Clip = file.read(dtype="float32")
        return clip


def write_clip(path: Path, clip: Clip) -> None:
    """Write a 16-bit WAV or FLAC file, depending on the suffix. Samples beyond [-1, 1] are clipped."""
    write_samples(path, (np.clip(clip, -1, 1) * 32767).astype(np.int16))


def write_samples(path: Path, samples: NDArray[np.int16]) -> None:
    """Write samples (samples,) as 16-bit WAV or FLAC, depending on the suffix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    smallest = 1.0 if path.suffix == ".flac" else None
    soundfile.write(path, samples, RATE_HZ, subtype="PCM_16", compression_level=smallest)
