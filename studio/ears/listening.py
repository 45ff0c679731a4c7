"""Hear a clip without knowing its text, passage by passage."""

from dataclasses import dataclass, replace

from engines.text.language_tags import ENGLISH, subtags
from engines.types import Audio
from studio.ears.dictionary import sound_of
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


def listen(recogniser: Recogniser, audio: Audio, language: str = ENGLISH) -> list[HeardPassage]:
    """Hear a clip; its passages are in order."""
    encoded = (recogniser.encode(passage) for passage in passages(audio))
    return [_heard(recogniser, one, language) for one in encoded]


def _heard(recogniser: Recogniser, encoded: Encoded, language: str) -> HeardPassage:
    words = recogniser.hear(encoded, language)
    return HeardPassage(encoded, without_loop(words, encoded.passage.length_s, language))


def without_loop(words: tuple[HeardWord, ...], length_s: float, language: str = ENGLISH) -> tuple[HeardWord, ...]:
    """Return the words of a passage. If the recogniser repeats them faster than anybody speaks, return one repetition."""
    spoken = [tuple(spoken_as(word.text, language)) for word in words]
    phones = sum(len(sound_of(one, language)) for parts in spoken for one in parts)
    if phones <= FASTEST_PHONES_PER_S * length_s:
        return words
    periods = (count for count in range(1, len(words)) if spoken[count:] == spoken[:-count])
    return words[: next(periods, len(words))]


def transcribe(models: Models, audio: Audio, language: str = "") -> Transcript:
    """Return the words of a clip, with numbers as they are spoken.

    The recogniser must know the language. Without a language, the recogniser detects it from the first passage.
    """
    recogniser = models.recogniser
    encoded = [recogniser.encode(passage) for passage in passages(audio)]
    spoken = language or (recogniser.detect(encoded[0]) if encoded else ENGLISH)
    heard = [word for one in encoded for word in _heard(recogniser, one, spoken).words]
    words = tuple(replace(word, text=_spelled(word.text, spoken)) for word in heard)
    return Transcript(words=words, language=subtags(spoken)[0])


def _spelled(word: str, language: str) -> str:
    """Write digits as words, and keep the punctuation mark after them."""
    if not any(c.isdigit() for c in word):
        return word
    mark = word[-1] if word[-1] in ".,;:!?" else ""
    return " ".join(spoken_as(word, language)) + mark
