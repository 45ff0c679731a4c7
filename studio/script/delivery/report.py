"""The result of a delivery: its files with measurements and flags."""

from dataclasses import asdict, dataclass
from typing import Any

from studio.script.delivery.flags import TITLES, Flag
from studio.script.delivery.lines import DeliveredLine


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveredFile:
    """The file of a line, with measurements of the written file."""

    line: DeliveredLine
    path: str  # within the delivery, with "/"
    sidecars: tuple[str, ...]  # paths within the delivery
    duration_s: float
    sample_rate: int  # Hz
    bits: int | None  # None for formats without a bit depth
    head_ms: float | None  # silence before the speech; None without speech
    tail_ms: float | None  # silence after the speech; None without speech
    loudness_lufs: float
    true_peak_dbtp: float
    gain_db: float  # gain applied to the take
    sha256: str
    flags: tuple[Flag, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterLevel:
    """The joint levels of all lines of a character."""

    character: str
    lines: int
    gain_db: float | None  # None if each file has a separate gain
    loudness_lufs: float
    flags: tuple[Flag, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryReport:
    """The files and flags of a delivery."""

    files: tuple[DeliveredFile, ...]  # in the order of the lines
    characters: tuple[CharacterLevel, ...]
    paths: tuple[str, ...]  # paths of all files, including manifests and tables
    flags: tuple[str, ...]  # flags of the whole delivery

    @property
    def flagged(self) -> int:
        """Return the number of files with flags."""
        return sum(bool(file.flags) for file in self.files)


def report_json(report: DeliveryReport) -> dict[str, Any]:
    """Return the flags as JSON. No field is named `path`, because Gradio's clients treat such a field as a file."""
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
    """Return the flags of all files by kind; the most urgent kind comes first."""
    flags = [(file.path, flag) for file in report.files for flag in file.flags]
    groups = []
    for kind, title in TITLES.items():
        found = [{"file": path, "message": flag.message} for path, flag in flags if flag.kind == kind]
        if found:
            groups.append({"kind": kind, "title": title, "files": len({one["file"] for one in found}), "found": found})
    return groups


def _messages(flags: tuple[Flag, ...]) -> list[str]:
    return [flag.message for flag in flags]
