"""Summarise why lines of a render failed."""

from collections import Counter
from collections.abc import Mapping, Sequence

from studio.progress import plural
from studio.script.format.script import ScriptLine, Sheet
from studio.script.formula_errors import first_error
from studio.script.planning import Readings

SHOWN = 3  # maximum number of causes


def causes(sheet: Sheet, readings: Readings, failures: Mapping[str, str]) -> Sequence[str]:
    """Return the causes of failures, most frequent first, such as "2 lines have no text".

    If all lines failed with one message, the message is returned alone.
    """
    lines = {line.key: line for line in sheet.lines if line.key in failures}
    counts = Counter(_cause(sheet, line, readings) or f": {failures[key]}" for key, line in lines.items())
    if len(counts) == 1 and (message := next(iter(counts))).startswith(": "):
        return [message.removeprefix(": ")]
    shown = [_phrase(cause, count) for cause, count in counts.most_common(SHOWN)]
    more = len(counts) - len(shown)
    return [*shown, f"{more} more {'cause' if more == 1 else 'causes'}"] if more else shown


def _cause(sheet: Sheet, line: ScriptLine, readings: Readings) -> str:
    """Return the part of the line that cannot be spoken; "" if the failure has another cause."""
    if error := first_error(sheet, line):
        return f"an error from the spreadsheet ({error[1]})"
    return "no text besides stage directions" if readings.fault(sheet, line) else ""


def _phrase(cause: str, count: int) -> str:
    verb = "" if cause.startswith(":") else " has " if count == 1 else " have "
    return f"{plural(count, 'line')}{verb}{cause}"
