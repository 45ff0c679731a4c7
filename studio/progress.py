"""Progress reports of long-running work, and counts and sizes for display."""

from collections.abc import Callable
from dataclasses import replace

from engines.types import Progress

ProgressReporter = Callable[[Progress], None]
UNITS = ("bytes", "KB", "MB", "GB", "TB")


def share(report: ProgressReporter, start: float, end: float) -> ProgressReporter:
    """Return a reporter for a part of the work that lies between these fractions of the whole."""
    return lambda progress: report(replace(progress, fraction=start + (end - start) * progress.fraction))


def plural(count: int, one: str) -> str:
    """Format a count with its noun: "1 file", "2,000 files"."""
    return f"{count:,} {one}{'' if count == 1 else 's'}"


def format_bytes(count: int) -> str:
    """Format a number of bytes for display, such as `1.02 GB`."""
    value, unit = float(count), 0
    while value >= 999.5 and unit < len(UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{count} bytes" if unit == 0 else f"{value:.3g} {UNITS[unit]}"
