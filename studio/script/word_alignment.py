"""Find the times of words in delivered takes, in each language that the recogniser knows."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from engines.types import Audio
from studio.ears.ears import EarsFailed
from studio.ears.vocabulary import TimedWord, TypedWord
from studio.languages import is_english
from studio.progress import plural
from studio.script.delivery import DeliveredLine
from studio.script.foreign_words import foreign_language
from studio.sentences import ended

Align = Callable[[Audio, Sequence[TypedWord], str], Sequence[TimedWord]]  # the last argument is a BCP 47 tag


class WordAlignment:
    """Finds the times of the words of a line, or the reason why the words cannot have times."""

    def __init__(self, align: Align, why_unheard: Callable[[str], str]) -> None:
        """Use `align` to find the words of a take. `why_unheard` returns why a language is not known, else an empty text."""
        self._align, self._why_unheard = align, why_unheard

    def why_unplaceable(self, line: DeliveredLine) -> str:
        """Return why the words of a line cannot have times; empty if they can."""
        if is_english(line.language) and (language := foreign_language(line.text)):
            return f"the text seems to be {language}, not English; correct the language in the sheet"
        try:
            return self._why_unheard(line.language)
        except EarsFailed as error:
            return str(error)

    def of(self, line: DeliveredLine, words: Sequence[TypedWord]) -> tuple[TimedWord, ...]:
        """Return the words with their times; empty if they cannot be placed. Raises EarsFailed."""
        return tuple(self._align(line.audio(), words, line.language))


def flags_of_missing_times(reasons: Iterable[str]) -> tuple[str, ...]:
    """Return a sentence for each different reason. `reasons` has a text for each file; empty texts are ignored."""
    counted = Counter(reason for reason in reasons if reason)
    return tuple(ended(f"No word times in {plural(count, 'file')}: {reason}") for reason, count in counted.items())
