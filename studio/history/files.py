"""Takes on the disk as float32 WAV, which preserves every sample, and their JSON descriptions."""

import io
from collections.abc import Iterator
from pathlib import Path

import soundfile

from engines.types import Audio
from studio.disk.descriptions import Descriptions
from studio.disk.files import atomic_write
from studio.history.takes import StoredTake, UnknownTake


class TakeFiles:
    """`{take id}.wav` for each take in one folder, with a JSON copy of its database row."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._descriptions = Descriptions(folder, StoredTake)

    def path(self, take_id: str) -> Path:
        return self.folder / f"{take_id}.wav"

    def write(self, take: StoredTake, audio: Audio) -> None:
        """Publish the description, then the audio. Raises OSError; then no file is left behind."""
        encoded = exact_wav(audio)
        try:
            self.describe(take)
            with atomic_write(self.path(take.id)) as file:
                file.write(encoded)
        except BaseException:
            self.remove(take.id)
            raise

    def describe(self, take: StoredTake, *, deleted: bool = False) -> None:
        """Write the description of a take. Raises OSError."""
        self._descriptions.write(take.id, take, deleted=deleted)

    def unknown(self, known: set[str]) -> Iterator[tuple[StoredTake, bool]]:
        """Yield complete takes whose ids are not in `known`, and whether each is deleted."""
        return (found for found in self._descriptions.unknown(known) if self.path(found[0].id).is_file())

    def undescribed(self) -> set[str]:
        """Return the ids of audio files without a description."""
        sounds = {path.stem for path in self.folder.glob("*.wav")}
        return sounds - self.described() - self.described(deleted=True)

    def described(self, *, deleted: bool = False) -> set[str]:
        return self._descriptions.names(deleted=deleted)

    def read(self, take_id: str) -> Audio:
        """Read the audio of a take. Raises UnknownTake if the file is missing or damaged."""
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


def exact_wav(audio: Audio) -> bytes:
    """Return a float32 WAV file. Equal audio gives equal files."""
    from scipy.io import wavfile  # the import takes a quarter of a second, which would delay the start

    encoded = io.BytesIO()
    wavfile.write(encoded, audio.sample_rate, audio.samples)  # libsndfile would write the time of day
    return encoded.getvalue()
