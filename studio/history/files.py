"""The takes on disk: float32 WAV, so that what comes back is sample for sample what was played, each with its description."""

import io
from collections.abc import Iterator
from pathlib import Path

import soundfile

from engines.types import Audio
from studio.descriptions import Descriptions
from studio.files import atomic_write
from studio.history.takes import StoredTake, UnknownTake


class TakeFiles:
    """One `{take id}.wav` per take in one folder, and what the database says of it beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._descriptions = Descriptions(folder, StoredTake)

    def path(self, take_id: str) -> Path:
        return self.folder / f"{take_id}.wav"

    def write(self, take: StoredTake, audio: Audio) -> None:
        """Publish the description, then the sound. Raises OSError; then nothing is left behind."""
        from scipy.io import wavfile  # a quarter of a second, which opening the port saves

        encoded = io.BytesIO()
        # libsndfile would write the time of day into it: the same take is to be the same file.
        wavfile.write(encoded, audio.sample_rate, audio.samples)
        try:
            self.describe(take)
            with atomic_write(self.path(take.id)) as file:
                file.write(encoded.getbuffer())
        except BaseException:
            self.remove(take.id)
            raise

    def describe(self, take: StoredTake, *, deleted: bool = False) -> None:
        """Raises OSError."""
        self._descriptions.write(take.id, take, deleted=deleted)

    def unknown(self, known: set[str]) -> Iterator[tuple[StoredTake, bool]]:
        """Whole takes that are not among these, and whether each is deleted."""
        return (found for found in self._descriptions.unknown(known) if self.path(found[0].id).is_file())

    def undescribed(self) -> set[str]:
        """Ids of sounds that have no description."""
        sounds = {path.stem for path in self.folder.glob("*.wav")}
        return sounds - self.described() - self.described(deleted=True)

    def described(self, *, deleted: bool = False) -> set[str]:
        return self._descriptions.names(deleted=deleted)

    def read(self, take_id: str) -> Audio:
        """Raises UnknownTake when the file is gone or damaged."""
        try:
            samples, sample_rate = soundfile.read(self.path(take_id), dtype="float32")
        except (OSError, soundfile.LibsndfileError) as error:
            raise UnknownTake(
                "the audio of this take is missing on disk; generate the take again with the same settings and seed"
            ) from error
        return Audio(samples, sample_rate)

    def remove(self, take_id: str) -> None:
        self.path(take_id).unlink(missing_ok=True)
        self._descriptions.remove(take_id)
