"""Hear a clip without knowing its text, passage by passage."""

from dataclasses import dataclass, replace

from engines.types import Audio
from studio.ears.dictionary import pronounce
from studio.ears.models import Models
from studio.ears.recogniser import Encoded, Recogniser
from studio.ears.sound import passages
from studio.ears.spoken import spoken_as
from studio.ears.vocabulary import HeardWord, Transcript

FASTEST_PHONES_PER_S = 18.0


@dataclass(frozen=True, slots=True, eq=False)
class HeardPassage:
    """A passage and the words that are heard in it."""

    encoded: Encoded
    words: tuple[HeardWord, ...]


def listen(recogniser: Recogniser, audio: Audio) -> list[HeardPassage]:
    """Hear a clip; its passages are in order."""
    encoded = (recogniser.encode(passage) for passage in passages(audio))
    return [HeardPassage(one, without_loop(recogniser.hear(one), one.passage.length_s)) for one in encoded]


def without_loop(words: tuple[HeardWord, ...], length_s: float) -> tuple[HeardWord, ...]:
    """Return the words of a passage. If the recogniser repeats them faster than anybody speaks, return one repetition."""
    spoken = [tuple(spoken_as(word.text)) for word in words]
    phones = sum(len(pronounce(one)) for parts in spoken for one in parts)
    if phones <= FASTEST_PHONES_PER_S * length_s:
        return words
    periods = (count for count in range(1, len(words)) if spoken[count:] == spoken[:-count])
    return words[: next(periods, len(words))]


def transcribe(models: Models, audio: Audio) -> Transcript:
    """Return the words of a clip, with numbers as they are spoken."""
    heard = [word for passage in listen(models.recogniser, audio) for word in passage.words]
    return Transcript(words=tuple(replace(word, text=_spelled(word.text)) for word in heard))


def _spelled(word: str) -> str:
    """Write digits as words, and keep the punctuation mark after them."""
    if not any(c.isdigit() for c in word):
        return word
    mark = word[-1] if word[-1] in ".,;:!?" else ""
    return " ".join(spoken_as(word)) + mark
