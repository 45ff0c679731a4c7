"""The models of the child process, each loaded when a task first needs it."""

from dataclasses import dataclass, field
from typing import TypeVar

from engines.text.language_tags import ENGLISH
from studio.ears.recogniser import Recogniser, whisper_name
from studio.ears.weights import EMBEDDED, find_weights, is_multilingual

T = TypeVar("T")
ONLY_ENGLISH = (
    "speech recognition knows only English; for other languages, set STUDIO_RECOGNIZER to a multilingual model"
)


@dataclass(slots=True)
class Models:
    """The recogniser and the other models of one process. Not thread-safe."""

    source: str = EMBEDDED  # source of the recogniser's files
    threads: int = 2
    _recogniser: Recogniser | None = None
    _multilingual: bool | None = None
    _others: dict[type, object] = field(default_factory=dict)

    @property
    def recogniser(self) -> Recogniser:
        """Return the recogniser. Raises Unavailable."""
        if self._recogniser is None:
            self._recogniser = Recogniser(find_weights(self.source), self.threads)
        return self._recogniser

    def knows(self, language: str) -> bool:
        """Return True if the recogniser hears this language, a BCP 47 tag. Raises Unavailable."""
        return not self.why_unheard(language)

    def why_unheard(self, language: str) -> str:
        """Return why the recogniser cannot hear this language, a BCP 47 tag; empty if it can. Raises Unavailable."""
        name = whisper_name(language)
        if name == ENGLISH:
            return ""
        if self._multilingual is None:  # read from the files, because a loaded model takes memory
            self._multilingual = is_multilingual(find_weights(self.source))
        if not self._multilingual:
            return ONLY_ENGLISH
        return "" if name in self.recogniser.languages else "speech recognition does not know this language"

    def of(self, kind: type[T]) -> T:
        """Return the model of a class whose constructor has no parameters; each model is created once."""
        found = self._others.setdefault(kind, None) or kind()
        self._others[kind] = found
        return found  # type: ignore[return-value]
