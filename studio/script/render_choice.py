"""Determine which lines and takes a render makes."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from engines.errors import BadInput, EngineError
from studio.script.editing import find
from studio.script.format.script import Project, ScriptLine, Sheet, cell
from studio.script.planning import LineReading, Readings, is_due, to_retake
from studio.script.rendering import LineRender, asked

TAKES_MAX = 16  # maximum number of takes of a line in one render
BUDGET_MAX = 16


class NothingToRender(BadInput):
    """All requested takes exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderChoice:
    """What to render."""

    sheet: str
    lines: Sequence[str] | None = None  # keys; None = all lines that lack a fresh take, or are marked for a retake
    takes: int = 1  # takes of each voice
    budget: int | None = None  # additional seeds to try for a take whose checks fail; None = as the project says
    again: bool = False  # make further takes in addition to existing ones

    def of(self, project: Project) -> "RenderChoice":
        """Return the choice with the project's number of seeds, if the choice has none."""
        return self if self.budget is not None else replace(self, budget=project.best_of - 1)

    @property
    def retries(self) -> int:
        return self.budget or 0


def check_best_of(best_of: int) -> None:
    """Refuse a number of seeds that no render tries. Raises BadInput."""
    if not 1 <= best_of <= BUDGET_MAX + 1:
        raise BadInput(f"best of {best_of} takes is not possible; choose 1 to {BUDGET_MAX + 1}")


def asked_for(
    sheet: Sheet, choice: RenderChoice, readings: Readings
) -> tuple[tuple[LineRender, ...], Mapping[str, str]]:
    """Return the lines to render, and by key the reasons why lines cannot be rendered. Raises UnknownLine, BadInput."""
    if not (1 <= choice.takes <= TAKES_MAX and 0 <= choice.retries <= BUDGET_MAX):
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
        raise NothingToRender(
            "nothing to render: every line already has a take; to get more takes, choose lines and turn on "
            "“Add takes to lines that already have a take”"
        )
    return tuple(wanted), failures


def _retaken(line: ScriptLine, readings: Sequence[LineReading]) -> Set[str]:
    """Return the voices of the line that need another take: at most one, whose take is marked for a retake."""
    take = to_retake(line, readings)
    return set() if take is None else {take.voice}


def _chosen(sheet: Sheet, choice: RenderChoice) -> Sequence[ScriptLine]:
    """Return the chosen lines that have a text. Raises UnknownLine."""
    lines = sheet.lines if choice.lines is None else [find(sheet, key) for key in dict.fromkeys(choice.lines)]
    return [line for line in lines if not line.deleted and cell(sheet, line, "text")]


def _castable(sheet: Sheet, line: ScriptLine, readings: Sequence[LineReading]) -> Sequence[LineReading]:
    """Return the readings unchanged. Raises BadInput if no voice speaks the line."""
    if not readings:
        character = cell(sheet, line, "character") or "lines without a character"
        raise BadInput(f"no voice for {character}; choose a voice in Cast")
    return readings
