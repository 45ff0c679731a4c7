"""What is asked of a render, as lines and takes."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from engines.errors import BadInput, EngineError
from studio.script.editing import find
from studio.script.planning import LineReading, Readings, is_due, to_retake
from studio.script.rendering import LineRender, asked
from studio.script.script import ScriptLine, Sheet, cell

TAKES_MAX = 16  # of a line at once
BUDGET_MAX = 16


class NothingToRender(BadInput):
    """All that was asked for is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderChoice:
    """What is asked for."""

    sheet: str
    lines: Sequence[str] | None = None  # their keys; None = all that lack a fresh take, or are marked for a retake
    takes: int = 1  # of each voice
    budget: int = 0  # further seeds for a take whose checks fail
    again: bool = False  # besides the takes there are


def asked_for(
    sheet: Sheet, choice: RenderChoice, readings: Readings
) -> tuple[tuple[LineRender, ...], Mapping[str, str]]:
    """The lines to be made, and why some of them cannot be, by their keys. Raises UnknownLine, BadInput."""
    if not (1 <= choice.takes <= TAKES_MAX and 0 <= choice.budget <= BUDGET_MAX):
        raise BadInput(f"choose 1 to {TAKES_MAX} takes and 0 to {BUDGET_MAX} retries")
    wanted, failures = [], {}
    for line in _chosen(sheet, choice):
        try:
            spoken = readings.of(sheet, line)
            again = {each.voice for each in spoken} if choice.again else _retaken(line, spoken)
            if choice.lines is None and spoken and not is_due(line, spoken, choice.takes):
                continue
            wanted.append(asked(line, _castable(sheet, line, spoken), choice.takes, again))
        except EngineError as error:
            wanted.append(LineRender(key=line.key))
            failures[line.key] = str(error)
    if not wanted:
        raise NothingToRender("every line already has a take; select lines to add takes")
    return tuple(wanted), failures


def _retaken(line: ScriptLine, readings: Sequence[LineReading]) -> Set[str]:
    """Whose take is marked for a retake."""
    take = to_retake(line, readings)
    return set() if take is None else {take.voice}


def _chosen(sheet: Sheet, choice: RenderChoice) -> Sequence[ScriptLine]:
    """Lines that have a text. Raises UnknownLine."""
    lines = sheet.lines if choice.lines is None else [find(sheet, key) for key in dict.fromkeys(choice.lines)]
    return [line for line in lines if not line.deleted and cell(sheet, line, "text")]


def _castable(sheet: Sheet, line: ScriptLine, readings: Sequence[LineReading]) -> Sequence[LineReading]:
    """Raises BadInput where nobody speaks the line."""
    if not readings:
        character = cell(sheet, line, "character") or "lines without a character"
        raise BadInput(f"no voice for {character}; choose a voice in Cast")
    return readings
