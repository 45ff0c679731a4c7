"""Times of the words of a spoken text, for each of its sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from engines.types import Take
from studio.ears.ears import Ears, EarsFailed
from studio.ears.sentence_ends import SENTENCE_ENDS
from studio.ears.spoken import join_words
from studio.ears.vocabulary import TimedWord, TypedWord
from studio.languages import ENGLISH
from studio.script.checks.wording import typed_words

Pair = tuple[TypedWord, TimedWord]


def sentence_times(ears: Ears, take: Take, start_s: float = 0.0) -> list[dict[str, Any]]:
    """Return the sentences of a take that starts at `start_s`, with times in seconds.

    If the words cannot be placed, the recogniser does not know their language, or the ears are off, the whole text is one
    sentence without words.
    """
    found: list[dict[str, Any]] = []
    for each in take.segments:  # the parts of a take with several voices
        request, audio = replace(take.request, text=each.text), take.audio.between(each.start_s, each.end_s)
        found += _times_of(ears, replace(take, request=request, audio=audio), start_s + each.start_s)
    return found or _times_of(ears, take, start_s)


def _times_of(ears: Ears, take: Take, start_s: float) -> list[dict[str, Any]]:
    """Return the sentences of a part with one voice."""
    language = take.request.language or ENGLISH
    words = typed_words(take.request.text, language=language)
    try:
        timed = ears.align(take.audio, words, language) if words else ()
    except EarsFailed:
        timed = ()
    if not timed:
        end_s = start_s + take.audio.duration_s
        return [
            {"text": take.request.text.strip(), "start_s": round(start_s, 3), "end_s": round(end_s, 3), "words": []}
        ]
    return [_sentence(pairs, start_s) for pairs in _sentences(list(zip(words, timed, strict=True)))]


def _sentences(pairs: Sequence[Pair]) -> Iterator[Sequence[Pair]]:
    first = 0
    for at, (word, _) in enumerate(pairs, 1):
        if word.closing in SENTENCE_ENDS or at == len(pairs):
            yield pairs[first:at]
            first = at


def _sentence(pairs: Sequence[Pair], start_s: float) -> dict[str, Any]:
    words = [
        {"word": timed.word, "start_s": round(start_s + timed.start_s, 3), "end_s": round(start_s + timed.end_s, 3)}
        for _, timed in pairs
    ]
    text = join_words(word.typed + word.closing for word, _ in pairs)
    return {"text": text, "start_s": words[0]["start_s"], "end_s": words[-1]["end_s"], "words": words}
