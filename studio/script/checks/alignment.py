"""Align the words of a line with the audio of a take."""

import importlib.util
from collections.abc import Iterator, Sequence

from engines.types import Audio
from studio.script.checks.recogniser import FRAME_S, PAD_S, FramedWord, Recogniser, pcm
from studio.script.checks.wording import TypedWord, typed_words
from studio.script.script import TimedPhone, TimedWord


def align(audio: Audio, text: str) -> tuple[TimedWord, ...]:
    """Return the words of a text, with their times and phones; see `align_words`."""
    return align_words(audio, typed_words(text))


def align_words(audio: Audio, words: Sequence[TypedWord]) -> tuple[TimedWord, ...]:
    """Return the written words with their times and phones (ARPABET without stress).

    All words are assumed to be spoken, so a missing word gets a position too. Empty if no recogniser is installed, the audio
    is silent, too short for the words or too long (two minutes), or a word has letters beyond a to z.
    """
    if importlib.util.find_spec("pocketsphinx") is None:
        return ()
    found = Recogniser().align(pcm(audio), [spoken for word in words for spoken in word.spoken])
    return timed(words, found, audio.duration_s)


def timed(words: Sequence[TypedWord], found: Sequence[FramedWord], duration_s: float) -> tuple[TimedWord, ...]:
    """Return typed words with times in seconds, from spoken words with times in frames."""
    return tuple(_timed(word, parts, duration_s) for word, parts in grouped(words, found))


def grouped(
    words: Sequence[TypedWord], found: Sequence[FramedWord]
) -> Iterator[tuple[TypedWord, Sequence[FramedWord]]]:
    """Yield each typed word with its spoken words; nothing if nothing was found."""
    place = 0
    for word in words if found else ():
        yield word, found[place : place + len(word.spoken)]
        place += len(word.spoken)


def _timed(word: TypedWord, parts: Sequence[FramedWord], duration_s: float) -> TimedWord:
    def seconds(frame: int) -> float:
        return round(min(max(frame * FRAME_S - PAD_S, 0.0), duration_s), 3)

    phones = tuple(
        TimedPhone(phone=phone.phone, start_s=seconds(phone.start), end_s=seconds(phone.start + phone.length))
        for part in parts
        for phone in part.phones
    )
    end = parts[-1].start + parts[-1].length
    return TimedWord(word=word.typed, start_s=seconds(parts[0].start), end_s=seconds(end), phones=phones)
