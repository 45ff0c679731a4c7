"""Captions: divide heard words into segments of readable length, and write them as SubRip (SRT) or WebVTT files."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from studio.ears.sentence_ends import ends_sentence
from studio.ears.spoken import LETTER, join_words
from studio.ears.vocabulary import HeardWord

LINE_MAX = 42  # characters in a line, and lines in a caption: the usual limits
LINES_MAX = 2
LENGTH_MAX_S = 7.0
LENGTH_MIN_S = 0.1  # players skip captions without a duration
GAP_S = 1.0  # a longer pause ends a segment
Caption = tuple[float, float, str]  # start and end in seconds, text


@dataclass(frozen=True, slots=True)
class HeardSegment:
    """One or more words that are shown together."""

    words: tuple[HeardWord, ...]

    @property
    def text(self) -> str:
        return join_words(word.text for word in self.words)

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
    full = not fits(HeardSegment((*held, word)).text) or word.end_s - held[0].start_s > LENGTH_MAX_S
    return full or ends_sentence(held[-1].text, word.text) or word.start_s - held[-1].end_s > GAP_S


def fits(text: str) -> bool:
    """Return True if a text fits into the lines of one caption."""
    return len(_lines(text, LINE_MAX)) <= LINES_MAX


def _broken(text: str) -> str:
    """Return a text in as few lines as possible, the lines as even as possible."""
    count = len(_lines(text, LINE_MAX))
    even = next(lines for width in range(1, LINE_MAX + 1) if len(lines := _lines(text, width)) <= count)
    return "\n".join(even)


def _lines(text: str, width: int) -> list[str]:
    return wrap(text, width, break_long_words=bool(re.search(LETTER, text)), break_on_hyphens=False)


def captions(words: Sequence[HeardWord]) -> Iterator[Caption]:
    """Yield a caption for each segment of the words."""
    for one in segments(words):
        yield one.start_s, one.end_s, one.text


def srt(captions: Iterable[Caption]) -> str:
    """Return captions in SubRip format."""
    return "".join(
        f"{number}\n{_time(start, ',')} --> {_time(end, ',')}\n{_broken(text)}\n\n"
        for number, (start, end, text) in enumerate(captions, 1)
    )


def vtt(captions: Iterable[Caption]) -> str:
    """Return captions in WebVTT format."""
    cues = (
        f"{_time(start, '.')} --> {_time(end, '.')}\n{escape(_broken(text), quote=False)}\n\n"
        for start, end, text in captions
    )
    return "WEBVTT\n\n" + "".join(cues)


def milliseconds(time_s: float) -> int:
    """Return a time with the precision of captions."""
    return round(time_s * 1000)


def _time(time_s: float, mark: str) -> str:
    minutes, seconds = divmod(milliseconds(time_s) // 1000, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}{mark}{milliseconds(time_s) % 1000:03}"
