"""The models of the child process, each loaded when a task first needs it."""

from dataclasses import dataclass, field
from typing import TypeVar

from studio.ears.recogniser import Recogniser
from studio.ears.weights import EMBEDDED, find_weights

T = TypeVar("T")


@dataclass(slots=True)
class Models:
    """The recogniser and the other models of one process. Not thread-safe."""

    source: str = EMBEDDED  # source of the recogniser's files
    threads: int = 2
    _recogniser: Recogniser | None = None
    _others: dict[type, object] = field(default_factory=dict)

    @property
    def recogniser(self) -> Recogniser:
        """Return the recogniser. Raises Unavailable."""
        if self._recogniser is None:
            self._recogniser = Recogniser(find_weights(self.source), self.threads)
        return self._recogniser

    def of(self, kind: type[T]) -> T:
        """Return the model of a class whose constructor has no parameters; each model is created once."""
        found = self._others.setdefault(kind, None) or kind()
        self._others[kind] = found
        return found  # type: ignore[return-value]
