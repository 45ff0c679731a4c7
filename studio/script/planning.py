"""What a line's takes depend on: who speaks it, what exactly, and from which seeds."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from engines.errors import BadInput, EngineError
from studio.named_voices import NamedVoices
from studio.order import SEEDS, Order, flat
from studio.script.formula_errors import formula_error
from studio.script.lexicon import applied
from studio.script.script import Cast, Casting, LineTake, Project, Respelling, ScriptLine, Sheet, cell

SPOKEN_KEPT = 32_768  # lines; a lexicon of 2,000 words takes 20 ms for each, and a sheet is told again and again


@dataclass(frozen=True, slots=True, kw_only=True)
class LineReading:
    """A line as one voice speaks it; all but the seed."""

    voice: str
    order: Order
    limit: str  # what the sheet says of its length
    written: str = ""  # the text before the lexicon

    @property
    def digest(self) -> str:
        """Of all that the sound depends on: takes with another digest are stale."""
        told = {**flat(self.order), "voice": self.voice, "limit": self.limit}
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:32]


class Readings:
    """Lines of one project as its cast speaks them now. Each casting is looked up once; make a new one for each request."""

    def __init__(self, project: Project, voices: NamedVoices) -> None:
        self._project, self._voices = project, voices
        self._orders: dict[tuple[str, str, str], Order | EngineError] = {}

    def of(self, sheet: Sheet, line: ScriptLine) -> Sequence[LineReading]:
        """One for each voice it is cast with; none where it has no text or nobody speaks its character.

        Raises BadInput if the line contains a spreadsheet error, and EngineError if the voice cannot be used.
        """
        text = cell(sheet, line, "text")
        if not text:
            return []
        if error := formula_error(sheet, line):
            raise BadInput(error)
        castings = castings_of(self._project.cast, cell(sheet, line, "character"), cell(sheet, line, "emotion"))
        return [self._reading(casting, text, cell(sheet, line, "max_s")) for casting in castings]

    @property
    def digest(self) -> str:
        """Of the cast, its voices' versions and the lexicon: with another one, any line may be stale."""
        castings = [each for by in self._project.cast.values() for every in by.values() for each in every]
        told = [self._project.cast, self._project.lexicon, sorted(self._version(each) for each in castings)]
        return hashlib.sha256(repr(told).encode()).hexdigest()[:16]

    def _version(self, casting: Casting) -> str:
        try:
            return f"{casting.voice} {self._order(casting).version}"
        except EngineError as error:
            return f"{casting.voice} {error}"

    def _reading(self, casting: Casting, text: str, limit: str) -> LineReading:
        order = self._order(casting)
        spoken = _spoken(text, self._project.lexicon, casting.voice)
        return LineReading(voice=casting.voice, order=replace(order, text=spoken, seed=None), limit=limit, written=text)

    def _order(self, casting: Casting) -> Order:
        key = casting.voice, casting.engine, json.dumps(dict(casting.settings), sort_keys=True)
        if key not in self._orders:
            try:
                self._orders[key] = self._voices.order("", casting.voice, casting.engine, casting.settings)
            except EngineError as error:
                self._orders[key] = error
        found = self._orders[key]
        if isinstance(found, EngineError):
            raise found
        return found


@lru_cache(SPOKEN_KEPT)
def _spoken(text: str, lexicon: tuple[Respelling, ...], voice: str) -> str:
    return applied(text, lexicon, voice)


def castings_of(cast: Cast, character: str, emotion: str) -> Sequence[Casting]:
    """Who speaks this character in this emotion: its own castings, else the character's, else everybody's."""
    by_emotion: Mapping[str, Sequence[Casting]] = cast.get(character) or cast.get("") or {}
    return by_emotion.get(emotion) or by_emotion.get("") or ()


def seed_of(line: ScriptLine, voice: str, variety: int, attempt: int) -> int:
    """The seed of a line's take: the same for good, so that an unchanged line is the same file."""
    digest = hashlib.sha256(f"{line.key} {voice} {variety} {attempt}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % SEEDS


def take_id(project: Project, key: str, made_from: str, seed: int) -> str:
    """The same take of a line has the same id, however often it is made; nobody can guess it without the project's."""
    return hashlib.sha256(f"{project.id} {key} {made_from} {seed}".encode()).hexdigest()[:32]


def found(line: ScriptLine, made_from: str, seed: int) -> LineTake | None:
    return next((take for take in line.takes if (take.made_from, take.seed) == (made_from, seed)), None)


def to_retake(line: ScriptLine, readings: Sequence[LineReading]) -> LineTake | None:
    """Return the take whose voice must speak the line again; None if the line's state is not "retake"."""
    take = deciding(fresh(line, readings))
    return take if take and take.mark == "retake" else None


def deciding(takes: Sequence[LineTake]) -> LineTake | None:
    """Return the take with the latest mark. A retake mark counts until its voice has a newer take."""
    latest = {take.voice: take.number for take in takes}
    standing = (t for t in takes if t.mark and (t.mark != "retake" or max(t.seen, t.number) >= latest[t.voice]))
    return max(standing, key=lambda take: (take.marked, take.mark == "select", take.number), default=None)


def situation(readings: Readings, sheet: Sheet, line: ScriptLine) -> str:
    """Return a digest of everything that decides whether the line can be spoken. A failure holds while it is unchanged."""
    try:
        spoken = readings.of(sheet, line)
    except EngineError as error:
        return str(error)
    return " ".join(reading.digest for reading in spoken)


def fresh(line: ScriptLine, readings: Sequence[LineReading]) -> Sequence[LineTake]:
    """Takes of the line that are what would be made of it now."""
    current = {reading.digest for reading in readings}
    return [take for take in line.takes if take.made_from in current]
