"""A render: which takes of which lines are made. The due takes depend only on the render and the sheet."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal

from studio.script.checks.wording import is_bark
from studio.script.planning import LineReading, found, fresh, seed_of
from studio.script.script import LineTake, ScriptLine

BARK_BUDGET = 3  # engines drop words of short lines, which are quick to make again: `python -m bench.barks`
RenderState = Literal["running", "paused", "done", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRender:
    """The requested takes of one line."""

    key: str
    varieties: Mapping[str, tuple[int, ...]] = field(
        default_factory=dict
    )  # by voice; each variety gives one take whose checks pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Render:
    """The state of a render, saved with its project so that it continues after a restart."""

    sheet: str
    lines: tuple[LineRender, ...]
    budget: int = 0  # further seeds for a take whose checks fail
    state: RenderState = "running"
    trouble: str = ""  # why the studio paused the render, such as a full disk
    failures: Mapping[str, str] = field(default_factory=dict)  # by line: why its take could not be made
    situations: Mapping[str, str] = field(default_factory=dict)  # by failed line: see planning.situation
    compute_s: float = 0.0
    audio_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTake:
    """A take to be made."""

    line: str
    reading: LineReading
    seed: int


def asked(line: ScriptLine, readings: Sequence[LineReading], takes: int, again: Set[str]) -> LineRender:
    """Return a request for `takes` takes of each voice, in addition to existing ones for the voices in `again`."""
    varieties = {}
    for reading in readings:
        made = len(fresh(line, [reading])) if reading.voice in again else 0
        varieties[reading.voice] = tuple(range(made, made + takes))
    return LineRender(key=line.key, varieties=varieties)


def due(wanted: LineRender, line: ScriptLine, readings: Sequence[LineReading], budget: int) -> Iterator[PlannedTake]:
    """Yield the next takes of a line: none while its latest takes are checked, or if everything exists."""
    for reading in readings:
        for variety in wanted.varieties.get(reading.voice, ()):
            piece = _next(line, reading, variety, budget)
            if piece is not None:
                yield piece


def outstanding(wanted: LineRender, line: ScriptLine, readings: Sequence[LineReading], budget: int) -> bool:
    """Return True if a take of the line is due, or may become due after a check."""
    return any(
        not _settled(line, reading, variety, budget)
        for reading in readings
        for variety in wanted.varieties.get(reading.voice, ())
    )


def _next(line: ScriptLine, reading: LineReading, variety: int, budget: int) -> PlannedTake | None:
    for attempt, take in enumerate(_attempts(line, reading, variety, budget)):
        if take is None:
            return PlannedTake(line=line.key, reading=reading, seed=seed_of(line, reading.voice, variety, attempt))
        if take.score is None or not take.failed:
            return None
    return None


def _settled(line: ScriptLine, reading: LineReading, variety: int, budget: int) -> bool:
    attempts = list(_attempts(line, reading, variety, budget))
    return any(
        take is not None and (_seeds(reading, budget) == 1 or take.score is not None) and not take.failed
        for take in attempts
    ) or (None not in attempts)


def _seeds(reading: LineReading, budget: int) -> int:
    """Return how many seeds are tried for one take."""
    return 1 + max(budget, BARK_BUDGET if is_bark(reading.order.text) else 0)


def _attempts(line: ScriptLine, reading: LineReading, variety: int, budget: int) -> Iterator[LineTake | None]:
    digest = reading.digest
    for attempt in range(_seeds(reading, budget)):
        yield found(line, digest, seed_of(line, reading.voice, variety, attempt))
