"""Place the written words of a text in the audio of a take."""

from collections.abc import Sequence

from engines.text.language_tags import ENGLISH, subtags
from engines.types import Audio
from studio.ears.boundaries import place_phones, refine
from studio.ears.dictionary import pronounce
from studio.ears.division import Part, divide
from studio.ears.listening import listen
from studio.ears.models import Models
from studio.ears.recogniser import ScoredWord
from studio.ears.sound import LONGEST_S
from studio.ears.spoken import has_english_letters, is_unspaced
from studio.ears.vocabulary import TimedWord, TypedWord

WORDS_A_SECOND, LETTERS_A_SECOND = 12.0, 25.0  # more cannot be in the audio; letters in languages without spaces


def align(models: Models, audio: Audio, words: Sequence[TypedWord], language: str = ENGLISH) -> tuple[TimedWord, ...]:
    """Return the words with their times; English ones also with phones (ARPABET without stress).

    All words are assumed to be spoken, so a missing word gets a position too. Empty if the words cannot be placed; see
    `can_place`.
    """
    if not (can_place(audio, words, language) and models.knows(language)):
        return ()
    recogniser = models.recogniser
    parts = [part for part in divide(words, listen(recogniser, audio, language), language) if part.expected]
    scored = [recogniser.score(part.passage.encoded, [part.line], language)[0] for part in parts]
    return place_words(audio, words, parts, scored, language)


def can_place(audio: Audio, words: Sequence[TypedWord], language: str = ENGLISH) -> bool:
    """Return True if the words can be placed in the audio.

    There must be words, English ones must have only letters from a to z, and the audio must be neither too short nor too long.
    """
    spoken = [one for word in words for one in word.spoken]
    return (
        bool(spoken)
        and (subtags(language)[0] != ENGLISH or has_english_letters(tuple(spoken)))
        and len(spoken) / (LETTERS_A_SECOND if is_unspaced(language) else WORDS_A_SECOND)
        < audio.duration_s
        <= LONGEST_S
    )


def place_words(
    audio: Audio,
    words: Sequence[TypedWord],
    parts: Sequence[Part],
    scored: Sequence[Sequence[ScoredWord]],
    language: str = ENGLISH,
) -> tuple[TimedWord, ...]:
    """Return all words with times; `scored` has the expected words of each part.

    English boundaries are refined with the usual lengths of phones, which are not known in other languages.
    """
    spans: dict[int, list[float]] = {}
    for part, placed in zip(parts, scored, strict=True):
        for token, one in zip(part.expected, placed, strict=True):
            begin_s, end_s = (_within(at_s, part) for at_s in (one.start_s, one.end_s))
            spans.setdefault(token.place, [begin_s, end_s])[1] = end_s
    if subtags(language)[0] != ENGLISH:
        return tuple(
            TimedWord(word=word.typed, start_s=spans[place][0], end_s=spans[place][1])
            for place, word in enumerate(words)
        )
    rough = [_with_phones(word, *spans[place]) for place, word in enumerate(words)]
    return tuple(
        _with_phones(word, one.start_s, one.end_s) for word, one in zip(words, refine(audio, rough), strict=True)
    )


def _within(at_s: float, part: Part) -> float:
    passage = part.passage.encoded.passage
    return min(max(at_s, 0.0), passage.length_s) + passage.start_s


def _with_phones(word: TypedWord, start_s: float, end_s: float) -> TimedWord:
    phones = [phone for spoken in word.spoken for phone in pronounce(spoken)]
    return TimedWord(word=word.typed, start_s=start_s, end_s=end_s, phones=place_phones(phones, start_s, end_s))
