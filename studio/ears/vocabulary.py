"""Types of expected words, heard words and their comparison. All times are seconds from the start of the audio."""

from dataclasses import dataclass, field
from typing import Literal

from studio.ears.spoken import join_words

Verdict = Literal["kept", "missing", "misheard", "unsure"]


@dataclass(frozen=True, slots=True)
class TypedWord:
    """A written word, and the one or more spoken words that stand for it."""

    typed: str
    spoken: tuple[str, ...]  # as `studio.ears.spoken` writes them
    closing: str = field(default="", compare=False)  # the punctuation mark after the word


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardWord:
    """A word in the transcript of the recogniser."""

    text: str  # with capitals and punctuation
    start_s: float
    end_s: float
    confidence: float  # 0 to 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """The words that are heard in a clip, in order."""

    words: tuple[HeardWord, ...]
    language: str = "en"

    @property
    def text(self) -> str:
        """Return the words as one line."""
        return join_words(word.text for word in self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedPhone:
    """A phone and its position in a take."""

    phone: str  # ARPABET without stress, or "SIL"
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedWord:
    """A written word and its position in a take."""

    word: str
    start_s: float
    end_s: float
    phones: tuple[TimedPhone, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WordFinding:
    """The verdict on one written word."""

    word: TimedWord
    verdict: Verdict
    evidence: float  # log likelihood ratio: positive values support the word
    heard: str = ""  # the words that are heard in its place; "" = none, or the word itself


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedWord:
    """A heard word that is not expected. It is before the written word with the index `place`."""

    heard: HeardWord
    place: int
    repeats: bool = False  # True if a nearby expected word is repeated


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The expected words with their verdicts, and the added words. Places are indices of the written words."""

    words: tuple[WordFinding, ...]
    added: tuple[AddedWord, ...] = ()
    transcript: Transcript = field(default_factory=lambda: Transcript(words=()))
    clear: bool = True  # False if no content word is kept, as in a take of noise

    @property
    def kept(self) -> tuple[int, ...]:
        return self._places("kept")

    @property
    def missing(self) -> tuple[int, ...]:
        return self._places("missing")

    @property
    def misheard(self) -> tuple[int, ...]:
        return self._places("misheard")

    @property
    def unsure(self) -> tuple[int, ...]:
        return self._places("unsure")

    @property
    def timed(self) -> tuple[TimedWord, ...]:
        """Return the written words with their times."""
        return tuple(finding.word for finding in self.words)

    @property
    def complete(self) -> bool | None:
        """Return True if no word is missing, misheard or added; None if nothing is heard clearly."""
        if self.missing or self.misheard or self.added:
            return False
        return True if self.clear else None

    def _places(self, verdict: Verdict) -> tuple[int, ...]:
        return tuple(place for place, finding in enumerate(self.words) if finding.verdict == verdict)
