"""What a delivery wrote, how it measures, and what somebody should look at."""

from dataclasses import asdict, dataclass
from typing import Any

from studio.script.delivery.flags import TITLES, Flag
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
    flags: tuple[Flag, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterLevel:
    """All lines of a character together."""

    character: str
    lines: int
    gain_db: float | None  # None where each file had its own
    loudness_lufs: float
    flags: tuple[Flag, ...]


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


def report_json(report: DeliveryReport) -> dict[str, Any]:
    """The report with what somebody should look at. Nothing is named `path`, which Gradio's clients take for a file."""
    flagged = [{"file": file.path, "flags": _messages(file.flags)} for file in report.files if file.flags]
    characters = [asdict(level) | {"flags": _messages(level.flags)} for level in report.characters]
    return {
        "files": len(report.files),
        "flagged": flagged,
        "findings": _findings(report),
        "characters": characters,
        "flags": list(report.flags),
    }


def _findings(report: DeliveryReport) -> list[dict[str, Any]]:
    """The flags of the files by their kind, the most urgent kind first."""
    flags = [(file.path, flag) for file in report.files for flag in file.flags]
    groups = []
    for kind, title in TITLES.items():
        found = [{"file": path, "message": flag.message} for path, flag in flags if flag.kind == kind]
        if found:
            groups.append({"kind": kind, "title": title, "files": len({one["file"] for one in found}), "found": found})
    return groups


def _messages(flags: tuple[Flag, ...]) -> list[str]:
    return [flag.message for flag in flags]
