"""Determine the lines and takes that a render makes."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from engines.errors import BadInput, EngineError
from studio.script.editing import find
from studio.script.planning import LineReading, Readings, is_due, to_retake
from studio.script.rendering import LineRender, asked
from studio.script.script import ScriptLine, Sheet, cell

TAKES_MAX = 16  # limit for a line in one render
BUDGET_MAX = 16


class NothingToRender(BadInput):
    """All requested takes exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderChoice:
    """What to render."""

    sheet: str
    lines: Sequence[str] | None = None  # keys; None = all lines that lack a fresh take, or are marked for a retake
    takes: int = 1  # takes of each voice
    budget: int = 0  # further seeds for a take whose checks fail
    again: bool = False  # make further takes in addition to existing ones


def asked_for(
    sheet: Sheet, choice: RenderChoice, readings: Readings
) -> tuple[tuple[LineRender, ...], Mapping[str, str]]:
    """Return the lines to render, and for some lines, by key, why they cannot be rendered. Raises UnknownLine, BadInput."""
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
        raise NothingToRender("every line already has a take; choose lines to add takes")
    return tuple(wanted), failures


def _retaken(line: ScriptLine, readings: Sequence[LineReading]) -> Set[str]:
    """Return the voice whose take is marked for a retake, in a set."""
    take = to_retake(line, readings)
    return set() if take is None else {take.voice}


def _chosen(sheet: Sheet, choice: RenderChoice) -> Sequence[ScriptLine]:
    """Return the chosen lines that have a text. Raises UnknownLine."""
    lines = sheet.lines if choice.lines is None else [find(sheet, key) for key in dict.fromkeys(choice.lines)]
    return [line for line in lines if not line.deleted and cell(sheet, line, "text")]


def _castable(sheet: Sheet, line: ScriptLine, readings: Sequence[LineReading]) -> Sequence[LineReading]:
    """Return the readings. Raises BadInput if no voice speaks the line."""
    if not readings:
        character = cell(sheet, line, "character") or "lines without a character"
        raise BadInput(f"no voice for {character}; choose a voice in Cast")
    return readings
