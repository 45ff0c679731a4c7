"""Texts and voices of the benchmarks."""

from itertools import count, islice

import soundfile

from bench.load.pairs import VOICES, line
from engines.types import Audio, Reference


def text(seed: int, words: int) -> str:
    """Return a unique line with this number of words."""
    own = islice((word for number in count(seed) for word in line(number).split()), words)
    return " ".join(own).rstrip(",.;").lower() + "."


def shipped(voice: str) -> Reference:
    """Return one of the shipped references."""
    file = VOICES / "references" / voice
    samples, rate = soundfile.read(file.with_suffix(".flac"), dtype="float32")
    return Reference(Audio(samples, rate), file.with_suffix(".txt").read_text("utf-8").strip())
