"""The state of a render, and the takes that are due. Due takes depend only on this state and the sheet."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal

from studio.languages import ENGLISH
from studio.script.checks.wording import is_bark
from studio.script.format.script import LineTake, ScriptLine
from studio.script.planning import LineReading, found, fresh, seed_of

BARK_BUDGET = 3  # additional seeds for short lines, because engines often drop their words: `python -m bench.barks`
RenderState = Literal["running", "paused", "done", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRender:
    """The requested takes of one line."""

    key: str
    # Numbers of the requested takes, by voice. Failed takes get other seeds.
    varieties: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Render:
    """The state of a render, saved with its project so that it continues after a restart."""

    sheet: str
    lines: tuple[LineRender, ...]
    budget: int = 0  # additional seeds to try for a take whose checks fail
    state: RenderState = "running"
    trouble: str = ""  # the reason why the studio paused the render, such as a full disk
    failures: Mapping[str, str] = field(default_factory=dict)  # the reason of the failure, by line key
    # Results of planning.situation, by the key of a failed line.
    situations: Mapping[str, str] = field(default_factory=dict)
    finished: tuple[str, ...] = ()  # keys of lines whose takes are made and checked
    again: int = 0  # finished lines that were requested again
    compute_s: float = 0.0
    audio_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTake:
    """A take to be made."""

    line: str
    reading: LineReading
    seed: int


def asked(line: ScriptLine, readings: Sequence[LineReading], takes: int, again: Set[str]) -> LineRender:
    """Return a request for `takes` takes of each voice. For voices in `again`, they are added to existing takes."""
    varieties = {}
    for reading in readings:
        made = len(fresh(line, [reading])) if reading.voice in again else 0
        varieties[reading.voice] = tuple(range(made, made + takes))
    return LineRender(key=line.key, varieties=varieties)


def due(wanted: LineRender, line: ScriptLine, readings: Sequence[LineReading], budget: int) -> Iterator[PlannedTake]:
    """Yield the next takes of a line. There are none while the latest takes are checked, or if all takes exist."""
    for reading in readings:
        for take_number in wanted.varieties.get(reading.voice, ()):
            piece = _next(line, reading, take_number, budget)
            if piece is not None:
                yield piece


def outstanding(wanted: LineRender, line: ScriptLine, readings: Sequence[LineReading], budget: int) -> bool:
    """Return True if a take of the line is due, or may become due after a running check."""
    return any(
        not _settled(line, reading, take_number, budget)
        for reading in readings
        for take_number in wanted.varieties.get(reading.voice, ())
    )


def _next(line: ScriptLine, reading: LineReading, take_number: int, budget: int) -> PlannedTake | None:
    for attempt, take in enumerate(_attempts(line, reading, take_number, budget)):
        if take is None:
            return PlannedTake(line=line.key, reading=reading, seed=seed_of(line, reading.voice, take_number, attempt))
        if take.score is None or not take.failed:
            return None
    return None


def _settled(line: ScriptLine, reading: LineReading, take_number: int, budget: int) -> bool:
    attempts = list(_attempts(line, reading, take_number, budget))
    checked = [take for take in attempts if take is not None and take.score is not None]
    return any(not take.failed for take in checked) or len(checked) == len(attempts)


def _seeds(reading: LineReading, budget: int) -> int:
    """Return how many seeds are tried at most for one take."""
    return 1 + max(budget, BARK_BUDGET if is_bark(reading.order.text, reading.order.language or ENGLISH) else 0)


def _attempts(line: ScriptLine, reading: LineReading, take_number: int, budget: int) -> Iterator[LineTake | None]:
    def attempted(attempt: int) -> LineTake | None:
        return found(line, reading.digest, seed_of(line, reading.voice, take_number, attempt))

    first = attempted(0)
    yield first
    again = 1 if first is not None and first.ran_away else 0  # an engine that lost control gets one more seed
    for attempt in range(1, 1 + max(_seeds(reading, budget) - 1, again)):
        yield attempted(attempt)
