"""What engines are asked to say, and in whose voice."""

from itertools import count, islice

import soundfile

from bench.load.pairs import VOICES, line
from engines.types import Audio, Reference


def text(seed: int, words: int) -> str:
    """A line of its own, of so many words."""
    own = islice((word for number in count(seed) for word in line(number).split()), words)
    return " ".join(own).rstrip(",.;").lower() + "."


def shipped(voice: str) -> Reference:
    """One of the references that come with the studio."""
    file = VOICES / "references" / voice
    samples, rate = soundfile.read(file.with_suffix(".flac"), dtype="float32")
    return Reference(Audio(samples, rate), file.with_suffix(".txt").read_text("utf-8").strip())
