"""Captions: heard words in segments that can be read, and their files in SubRip (SRT) and WebVTT."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from studio.ears.vocabulary import HeardWord

CHARACTERS_MAX = 84  # two lines of 42, the usual limit
LENGTH_MAX_S = 7.0
LENGTH_MIN_S = 0.1  # players skip captions without a duration
GAP_S = 1.0  # a longer pause ends a segment
SENTENCE_ENDS = (".", "!", "?", "…")
Caption = tuple[float, float, str]  # start and end in seconds, text


@dataclass(frozen=True, slots=True)
class HeardSegment:
    """Words that are shown together; at least one."""

    words: tuple[HeardWord, ...]

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def start_s(self) -> float:
        return self.words[0].start_s

    @property
    def end_s(self) -> float:
        return max(self.words[-1].end_s, self.start_s + LENGTH_MIN_S)


def segments(words: Sequence[HeardWord]) -> list[HeardSegment]:
    """Divide words after sentences and long pauses, and before a segment becomes too long to read."""
    found: list[HeardSegment] = []
    held: list[HeardWord] = []
    for word in words:
        if held and _ends(held, word):
            found.append(HeardSegment(tuple(held)))
            held = []
        held.append(word)
    return [*found, HeardSegment(tuple(held))] if held else found


def _ends(held: Sequence[HeardWord], word: HeardWord) -> bool:
    """Return True if a segment ends before this word."""
    characters = sum(len(one.text) + 1 for one in held) + len(word.text)
    full = characters > CHARACTERS_MAX or word.end_s - held[0].start_s > LENGTH_MAX_S
    return full or held[-1].text.endswith(SENTENCE_ENDS) or word.start_s - held[-1].end_s > GAP_S


def captions(words: Sequence[HeardWord]) -> Iterator[Caption]:
    """Yield a caption for each segment of the words."""
    for one in segments(words):
        yield one.start_s, one.end_s, one.text


def srt(captions: Iterable[Caption]) -> str:
    """Return captions in SubRip format."""
    return "".join(
        f"{number}\n{_time(start, ',')} --> {_time(end, ',')}\n{text}\n\n"
        for number, (start, end, text) in enumerate(captions, 1)
    )


def vtt(captions: Iterable[Caption]) -> str:
    """Return captions in WebVTT format."""
    cues = (
        f"{_time(start, '.')} --> {_time(end, '.')}\n{escape(text, quote=False)}\n\n" for start, end, text in captions
    )
    return "WEBVTT\n\n" + "".join(cues)


def milliseconds(time_s: float) -> int:
    """Return a time with the precision of captions."""
    return round(time_s * 1000)


def _time(time_s: float, mark: str) -> str:
    minutes, seconds = divmod(milliseconds(time_s) // 1000, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}{mark}{milliseconds(time_s) % 1000:03}"
