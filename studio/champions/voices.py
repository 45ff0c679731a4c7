"""The voice of a champion for an engine: its reference, and fine-tuned weights."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import soundfile

from engines.errors import BadAudio
from engines.types import Audio, Reference, Weights
from studio.champion_format.members import ORIGINAL, REFERENCE
from studio.champions.library import Library
from studio.champions.saved import SavedChampion
from studio.languages import ENGLISH

DECODED_MAX = 32


@dataclass(frozen=True, slots=True, eq=False)
class ChampionVoice:
    """A champion ready to speak."""

    version: str
    reference: Reference
    weights: Weights | None
    language: str = ""  # BCP 47 tag; "" = detect


class Voices:
    """Decodes the references of champions. Each version is decoded once, because versions never change."""

    def __init__(self, library: Library, attached: Callable[[str], Weights]) -> None:
        """Use `attached` to find the weights of an attachment by its id."""
        self._library = library
        self._attached = attached
        self._reference = lru_cache(DECODED_MAX)(self._decoded)

    def get(self, id: str, version: str = "", attachment: str = "") -> ChampionVoice:
        """Return the champion's voice, by default in the current version, with its own weights or those of an attachment.

        Raises UnknownChampion, UnknownAttachment, BadAudio.
        """
        saved = self._library.get(id, version)
        weights = self._attached(attachment) if attachment else self._own(saved)
        language = saved.champion.language
        return ChampionVoice(saved.version, self._reference(id, saved.version), weights, language)

    def _own(self, saved: SavedChampion) -> Weights | None:
        path = self._library.weights_path(saved)
        return Weights(str(path), saved.weights, saved.champion.title) if path else None

    def _decoded(self, id: str, version: str) -> Reference:
        saved = self._library.get(id, version)
        path = self._library.path(saved, ORIGINAL if ORIGINAL in saved.members else REFERENCE)
        try:
            samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
        except (OSError, soundfile.LibsndfileError) as error:
            raise BadAudio(
                f"the reference of {id} is damaged on disk; restore an older version of the champion"
            ) from error
        audio = Audio(samples.mean(axis=1), int(rate))
        champion = saved.champion
        return Reference(audio, champion.transcript, champion.voice_codes, champion.language or ENGLISH)
