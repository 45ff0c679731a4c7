"""What an engine is given of a champion: the reference it hears, and weights of the voice's own."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import soundfile

from engines.errors import BadAudio
from engines.types import Audio, Reference, Weights
from studio.champions.library import Kept, Library
from studio.champions.members import ORIGINAL, REFERENCE

DECODED_KEPT = 32


@dataclass(frozen=True, slots=True, eq=False)
class Voice:
    """A champion ready to speak."""

    kept: Kept
    reference: Reference
    weights: Weights | None


class Voices:
    """Versions never change, so each is decoded once."""

    def __init__(self, library: Library, attached: Callable[[str], Weights]) -> None:
        """`attached` finds weights that are tried before they are kept, by their attachment's id."""
        self._library = library
        self._attached = attached
        self._reference = lru_cache(DECODED_KEPT)(self._decoded)

    def get(self, id: str, version: str = "", attachment: str = "") -> Voice:
        """The current version, or this one, with its own weights or those on trial. Raises UnknownChampion, BadAudio."""
        kept = self._library.get(id, version)
        weights = self._attached(attachment) if attachment else self._own(kept)
        return Voice(kept, self._reference(id, kept.version), weights)

    def reference(self, id: str, version: str = "") -> Reference:
        """Raises UnknownChampion, BadAudio."""
        return self._reference(id, self._library.get(id, version).version)

    def _own(self, kept: Kept) -> Weights | None:
        path = self._library.weights_path(kept)
        return Weights(str(path), kept.weights, kept.champion.title) if path else None

    def _decoded(self, id: str, version: str) -> Reference:
        kept = self._library.get(id, version)
        path = self._library.path(kept, ORIGINAL if ORIGINAL in kept.members else REFERENCE)
        try:
            samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
        except (OSError, soundfile.LibsndfileError) as error:
            raise BadAudio(f"the reference of {id} is damaged on disk; go back to an older version of it") from error
        return Reference(Audio(samples.mean(axis=1), int(rate)), kept.champion.transcript)
