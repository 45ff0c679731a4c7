"""Compare a take with its text, as a task of the child process."""

from collections.abc import Sequence

from engines.text.language_tags import ENGLISH
from engines.types import Audio
from studio.ears.comparison import compare
from studio.ears.models import Models
from studio.ears.placing import can_place
from studio.ears.vocabulary import Comparison, TypedWord


def hear(models: Models, audio: Audio, words: Sequence[TypedWord], language: str = ENGLISH) -> Comparison | None:
    """Return the comparison; None if the words cannot be placed in the audio (see `can_place`)."""
    return compare(models.recogniser, audio, words, language) if can_place(audio, words, language) else None
