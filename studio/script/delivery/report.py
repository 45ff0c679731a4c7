"""What a delivery wrote, how it measures, and what somebody should look at."""

from dataclasses import dataclass

from studio.script.delivery.lines import DeliveredLine


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveredFile:
    """A line's file, measured as it is on the disk."""

    line: DeliveredLine
    path: str  # within the delivery, with "/"
    sidecars: tuple[str, ...]  # likewise
    duration_s: float
    sample_rate: int  # Hz
    bits: int | None  # None where the format has no such thing
    head_ms: float | None  # silence before the speech and after it; None where no speech was found
    tail_ms: float | None
    loudness_lufs: float
    true_peak_dbtp: float
    gain_db: float  # by which the take was made louder
    sha256: str
    flags: tuple[str, ...]  # sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterLevel:
    """All lines of a character together."""

    character: str
    lines: int
    gain_db: float | None  # None where each file had its own
    loudness_lufs: float
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryReport:
    files: tuple[DeliveredFile, ...]  # in the order of the lines
    characters: tuple[CharacterLevel, ...]
    paths: tuple[str, ...]  # of every file, manifests and tables too
    flags: tuple[str, ...]  # of the delivery as a whole

    @property
    def flagged(self) -> int:
        """How many files somebody should look at."""
        return sum(bool(file.flags) for file in self.files)
