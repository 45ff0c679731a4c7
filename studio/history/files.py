"""The takes' audio on disk: float32 WAV, so that what comes back is sample for sample what was played."""

import io
import os
import time
from collections.abc import Collection, Iterator
from pathlib import Path

import soundfile

from engines.types import Audio
from studio.history.takes import UnknownTake

WRITING = ".part"
YOUNG_S = 60.0  # a file this new may be waiting for its row


class AudioFiles:
    """One `{take id}.wav` per take in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, take_id: str) -> Path:
        return self.folder / f"{take_id}.wav"

    def write(self, take_id: str, audio: Audio) -> None:
        """Publish by one rename, after the bytes are on the disk. Raises OSError; then nothing is left behind."""
        encoded = io.BytesIO()
        soundfile.write(encoded, audio.samples, audio.sample_rate, format="WAV", subtype="FLOAT")
        self.folder.mkdir(parents=True, exist_ok=True)
        staged = self.path(take_id).with_suffix(WRITING)
        try:
            with staged.open("xb") as file:
                file.write(encoded.getbuffer())
                file.flush()
                os.fsync(file.fileno())
            staged.replace(self.path(take_id))
            _sync(self.folder)
        finally:
            staged.unlink(missing_ok=True)

    def read(self, take_id: str) -> Audio:
        """Raises UnknownTake when the file is gone or damaged."""
        try:
            samples, sample_rate = soundfile.read(self.path(take_id), dtype="float32")
        except (OSError, soundfile.LibsndfileError) as error:
            raise UnknownTake(
                "the audio of this take is no longer on disk; speak it again with the same settings"
            ) from error
        return Audio(samples, sample_rate)

    def remove(self, take_id: str) -> None:
        self.path(take_id).unlink(missing_ok=True)

    def remove_orphans(self, known: Collection[str]) -> int:
        """Remove what a killed process left: files without a row that are too old to be waiting for one."""
        orphans = [path for path in self._old_files() if path.suffix == WRITING or path.stem not in known]
        for path in orphans:
            path.unlink(missing_ok=True)
        return len(orphans)

    def _old_files(self) -> Iterator[Path]:
        now = time.time()
        for path in self.folder.glob("*"):
            try:
                old = now - path.stat().st_mtime > YOUNG_S
            except FileNotFoundError:  # another process swept it
                continue
            if old and path.suffix in (".wav", WRITING):
                yield path


def _sync(folder: Path) -> None:
    """Make the rename itself survive a power cut (POSIX; other systems do it by themselves)."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
