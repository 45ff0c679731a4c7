"""Search the lines of a render for the next take to make, and for takes without a check."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from engines.errors import EngineError
from studio.script.editing import find
from studio.script.format.script import LineTake, Project, ScriptLine, Sheet
from studio.script.planning import LineReading, Readings, fresh, take_id
from studio.script.rendering import PlannedTake, Render, due, outstanding


@dataclass(frozen=True, slots=True)
class TakeJob:
    """A take to be made, with its project and sheet."""

    project: Project
    sheet_id: str
    piece: PlannedTake

    @property
    def take_id(self) -> str:
        return take_id(self.project, self.piece.line, self.piece.reading.digest, self.piece.seed)


@dataclass(frozen=True, slots=True)
class RenderSearch:
    """One search. `failures` has the lines that cannot be spoken, with the reasons."""

    project: Project
    sheet: Sheet
    readings: Readings
    failures: dict[str, str] = field(default_factory=dict)
    finished: list[str] = field(default_factory=list)  # keys of lines that the search found finished
    # Keys of lines whose takes are made but not checked, before the line with the found take.
    checking: set[str] = field(default_factory=set)

    def next(self, render: Render, keys: deque[str], under_way: Callable[[TakeJob], bool]) -> TakeJob | None:
        """Return the first due take of the lines `keys`; None if there is none. Takes that are under way are skipped.

        Finished lines are removed from `keys`.
        """
        wanted = {each.key: each for each in render.lines}
        for key in list(keys):
            try:
                line = find(self.sheet, key)
                spoken = [] if line.deleted else self.readings.of(self.sheet, line)
            except EngineError as error:
                self.failures[key] = str(error)
                continue
            if not outstanding(wanted[key], line, spoken, render.budget):
                keys.remove(key)
                self.finished.append(key)
                continue
            pieces = list(due(wanted[key], line, spoken, render.budget))
            if not pieces:
                self.checking.add(key)
            for piece in pieces:
                found = TakeJob(self.project, self.sheet.id, piece)
                if not under_way(found):
                    return found
        return None

    def unchecked(self, keys: Iterable[str]) -> Iterator[tuple[TakeJob, LineTake]]:
        """Yield the takes of these lines that are not stale and have no check."""
        for key in keys:
            line = find(self.sheet, key)
            for reading in self._readable(line):
                for take in fresh(line, [reading]):
                    if take.score is None:
                        planned = PlannedTake(line=key, reading=reading, seed=take.seed)
                        yield TakeJob(self.project, self.sheet.id, planned), take

    def _readable(self, line: ScriptLine) -> Sequence[LineReading]:
        """Return the readings of a line; none if the voice cannot be used."""
        try:
            return self.readings.of(self.sheet, line)
        except EngineError:
            return ()
