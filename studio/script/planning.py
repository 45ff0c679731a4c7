"""Determine the input of a line's takes: voice, exact text, settings and seeds."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache

from engines.errors import BadInput, EngineError
from engines.text import Direction, directions_in, passages, with_spoken_directions, without_directions, without_words
from engines.types import Setting
from studio.estimates import pace_in, pace_of
from studio.languages import DETECT, tag_of
from studio.named_voices import NamedVoices
from studio.order import SEEDS, Order
from studio.order_hash import hashed_values
from studio.script.format.length_limit import is_limit
from studio.script.format.lexicon import applied
from studio.script.format.script import Cast, Casting, LineTake, Project, Respelling, ScriptLine, Sheet, cell
from studio.script.formula_errors import formula_error
from studio.script.lengths import edges_s

SPOKEN_KEPT = 32_768  # cached lines; the lexicon takes up to 20 ms for each line, and sheets are sent often


@dataclass(frozen=True, slots=True, kw_only=True)
class LineReading:
    """A line as one voice speaks it: all input of a take except the seed."""

    voice: str
    order: Order
    limit: str  # the length limit in the sheet, as written
    written: str = ""  # the text in the sheet; `order` has the respelled text
    edges_s: float = 0.0  # seconds of silence around the speech in the delivered file
    # Id and version of each voice that the text names, by its name in lower case. Unknown voices are left out.
    named_voices: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Return a digest of everything that the audio depends on; takes with another digest are stale."""
        content = {**hashed_values(self.order), "voice": self.voice, "limit": self.limit}
        if is_limit(self.limit):
            content["edges_s"] = self.edges_s
        if directions_in(self.order.text):
            content["directions"] = "not spoken"  # takes of older studios spoke the directions
        if self.named_voices:
            content["named_voices"] = dict(self.named_voices)
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]


class Readings:
    """The readings of a project's lines with the present cast.

    Each casting is looked up once, so create an object for each request.
    """

    def __init__(self, project: Project, voices: NamedVoices, *, directions: bool = True) -> None:
        """Treat stage directions as words if `directions` is False."""
        self._project, self._voices, self._directions = project, voices, directions
        self.edges_s = edges_s(project.delivery)
        self._orders: dict[tuple[str, str, str], Order | EngineError] = {}
        # By the name of a voice in a text, and by engine; None for an unknown voice.
        self._named: dict[tuple[str, str], Order | None] = {}

    def of(self, sheet: Sheet, line: ScriptLine) -> Sequence[LineReading]:
        """Return a reading for each voice of the line; none if the line has no text or the character has no voice.

        Raises BadInput if the line contains a spreadsheet error or only stage directions, and EngineError if the voice cannot
        be used.
        """
        text = cell(sheet, line, "text")
        if not text:
            return []
        if error := self.fault(sheet, line):
            raise BadInput(error)
        castings = castings_of(self._project.cast, cell(sheet, line, "character"), cell(sheet, line, "emotion"))
        language = tag_of(cell(sheet, line, "language")) or DETECT
        limit = cell(sheet, line, "max_s")
        return [self._reading(casting, text, language, limit) for casting in castings]

    @property
    def languages(self) -> frozenset[str]:
        """Return the languages, without regions, that at least one engine speaks."""
        return self._voices.languages

    def unknown_voices(self, text: str) -> Sequence[str]:
        """Return the voices that a text names and the studio does not have."""
        return [voice for voice in names_in(self.readable(text)) if not self._identity(voice)]

    def _named_voices(self, text: str) -> Mapping[str, str]:
        """Return the id and the version of each known voice that a text names, by its name in lower case."""
        named = {voice.lower(): self._identity(voice) for voice in names_in(self.readable(text))}
        return {voice: identity for voice, identity in named.items() if identity}

    def _identity(self, voice: str) -> str:
        """Return the id and the version of the voice with this name; "" for an unknown voice."""
        order = self._order_of(voice)
        return f"{order.champion or order.clip_id} {order.version}".strip() if order else ""

    def _order_of(self, voice: str, engine: str = "") -> Order | None:
        """Return an order with a voice that a text names; None for an unknown voice. The text may use capitals in the name."""
        if (voice, engine) not in self._named:
            self._named[voice, engine] = None
            for name in dict.fromkeys((voice, voice.lower())):
                with suppress(EngineError):
                    self._named[voice, engine] = self._voices.order("", name, engine, {})
                    break
        return self._named[voice, engine]

    def speaking_rates_of(self, text: str, spoken: Sequence[LineReading]) -> tuple[tuple[str, float], ...]:
        """Return the known voices in a text, each with its speaking rate. Settings of the line replace those of the voice."""
        names, pace = names_in(self.readable(text)) if spoken else (), self.pace(spoken)
        orders = ((voice, self._order_of(voice, spoken[0].order.engine)) for voice in names)
        return tuple(
            (voice, pace_in({**order.settings, **spoken[0].order.settings}, pace)) for voice, order in orders if order
        )

    def pace(self, spoken: Sequence[LineReading]) -> Setting | None:
        """Return the setting of the speaking rate of the engine that speaks a line; without a voice, of the studio's first."""
        return pace_of(self._voices.engine(spoken[0].order.engine if spoken else "").settings.values())

    def directions_of(self, text: str) -> Sequence[Direction]:
        """Return the stage directions of a text; none if directions are spoken here."""
        return directions_in(text) if self._directions else ()

    def fault(self, sheet: Sheet, line: ScriptLine) -> str:
        """Return the reason why no voice can speak the line; "" if the line can be spoken."""
        text = cell(sheet, line, "text")
        directions = "" if any(map(str.isalnum, without_directions(text))) else without_words(self.directions_of(text))
        return formula_error(sheet, line) or directions

    def readable(self, text: str) -> str:
        """Return the text as engines get it, but without the lexicon."""
        return text if self._directions else with_spoken_directions(text)

    def digest(self, sheet: Sheet) -> str:
        """Return a digest of the cast, the lexicon, the silence around lines, and the voices that the cast and the sheet name.

        Unedited lines turn stale only if this digest changes.
        """
        castings = [each for by in self._project.cast.values() for every in by.values() for each in every]
        versions = sorted(self._version(each) for each in castings)
        texts = (cell(sheet, line, "text") for line in sheet.lines if not line.deleted)
        named = {voice: self._identity(voice) for text in texts for voice in names_in(self.readable(text))}
        content = [self._project.cast, self._project.lexicon, versions, self.edges_s, sorted(named.items())]
        return hashlib.sha256(repr(content).encode()).hexdigest()[:16]

    def _version(self, casting: Casting) -> str:
        try:
            return f"{casting.voice} {self._order(casting).version}"
        except EngineError as error:
            return f"{casting.voice} {error}"

    def _reading(self, casting: Casting, text: str, language: str, limit: str) -> LineReading:
        order = self._order(casting)
        language = language or self._voices.detect(order, text)
        spoken = _spoken(self.readable(text), self._project.lexicon, casting.voice, language)
        order = replace(order, text=spoken, language=language, seed=None)
        return LineReading(
            voice=casting.voice,
            order=order,
            limit=limit,
            written=text,
            edges_s=self.edges_s,
            named_voices=self._named_voices(text),
        )

    def _order(self, casting: Casting) -> Order:
        key = f"{casting.voice} {casting.clip}", casting.engine, json.dumps(dict(casting.settings), sort_keys=True)
        if key not in self._orders:
            try:
                self._orders[key] = casting_order(self._voices, casting)
            except EngineError as error:
                self._orders[key] = error
        found = self._orders[key]
        if isinstance(found, EngineError):
            raise found
        return found


def casting_order(voices: NamedVoices, casting: Casting) -> Order:
    """Return the order of a casting, without a text. Raises EngineError."""
    if casting.clip is None:
        return voices.order("", casting.voice, casting.engine, casting.settings)
    return voices.clip_order(asdict(casting.clip), casting.engine, casting.settings)


@lru_cache(SPOKEN_KEPT)
def names_in(text: str) -> tuple[str, ...]:
    """Return the names of the voices in a text, each once."""
    return tuple(dict.fromkeys(passage.voice for passage in passages(text) if passage.voice))


@lru_cache(SPOKEN_KEPT)
def _spoken(text: str, lexicon: tuple[Respelling, ...], voice: str, language: str) -> str:
    return applied(text, lexicon, voice, language)


def castings_of(cast: Cast, character: str, emotion: str) -> Sequence[Casting]:
    """Return the castings of a character in an emotion, or of the character in general, or the default castings."""
    by_emotion: Mapping[str, Sequence[Casting]] = cast.get(character) or cast.get("") or {}
    return by_emotion.get(emotion) or by_emotion.get("") or ()


def seed_of(line: ScriptLine, voice: str, take_number: int, attempt: int) -> int:
    """Return the seed of a line's take. Equal arguments give equal seeds, so unchanged lines give equal files."""
    digest = hashlib.sha256(f"{line.key} {voice} {take_number} {attempt}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % SEEDS


def take_id(project: Project, key: str, made_from: str, seed: int) -> str:
    """Return the id of a take. It is the same whenever the take is made, and unguessable without the project's id."""
    return hashlib.sha256(f"{project.id} {key} {made_from} {seed}".encode()).hexdigest()[:32]


def found(line: ScriptLine, made_from: str, seed: int) -> LineTake | None:
    return next((take for take in line.takes if (take.made_from, take.seed) == (made_from, seed)), None)


def to_retake(line: ScriptLine, readings: Sequence[LineReading]) -> LineTake | None:
    """Return the take with the latest mark if this mark is "retake"; else None. See `deciding`."""
    take = deciding(fresh(line, readings))
    return take if take and take.mark == "retake" else None


def deciding(takes: Sequence[LineTake]) -> LineTake | None:
    """Return the take with the latest mark. A retake mark no longer counts when its voice has a newer take."""
    latest = {take.voice: take.number for take in takes}
    standing = (t for t in takes if t.mark and (t.mark != "retake" or max(t.seen, t.number) >= latest[t.voice]))
    return max(standing, key=lambda take: (take.marked, take.mark == "select", take.number), default=None)


def situation(readings: Readings, sheet: Sheet, line: ScriptLine) -> str:
    """Return a key of everything that decides if the line can be spoken. A failure applies until this key changes."""
    try:
        spoken = readings.of(sheet, line)
    except EngineError as error:
        return str(error)
    return " ".join(reading.digest for reading in spoken)


def is_due(line: ScriptLine, readings: Sequence[LineReading], takes: int = 1) -> bool:
    """Return True if the line lacks fresh takes or has a retake mark."""
    lacks_takes = any(len(fresh(line, [each])) < takes for each in readings)
    return lacks_takes or to_retake(line, readings) is not None


def renewed(line: ScriptLine, readings: Sequence[LineReading]) -> Sequence[LineTake]:
    """Return the fresh takes that can replace a stale select; none if a render must make a take first."""
    usable = [take for take in fresh(line, readings) if take.mark != "retake"]
    return [] if not readings or is_due(line, readings) else usable


def fresh(line: ScriptLine, readings: Sequence[LineReading]) -> Sequence[LineTake]:
    """Return those takes of the line that are not stale."""
    current = {reading.digest for reading in readings}
    return [take for take in line.takes if take.made_from in current]
