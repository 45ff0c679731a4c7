"""The data of a project: sheets, lines, casts, and takes of lines."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Role = Literal["id", "character", "text", "emotion", "filename", "scene", "max_s", "language", "notes"]
Mark = Literal["", "select", "hold", "retake"]
Outcome = Literal["ok", "doubt", "fail", "unmeasured"]

ROLES: tuple[Role, ...] = get_args(Role)
SESSION_PREFIX = "script-"  # prefix of the sessions that store the takes of projects


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeCheck:
    """The result of one check of a take, and the model that measured it."""

    name: str  # "words", "edges", "clipping", "length", "likeness", "loudness", "quality"
    outcome: Outcome
    message: str  # a sentence for the designer, which mentions doubts
    model: str = ""  # the recogniser or encoder that measured; "" for arithmetic
    value: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LineTake:
    """A take of a line. Its audio is in the history, under the project's session."""

    id: str
    number: int  # from 1 in the order of creation; the keys 1 to 9 choose it
    voice: str  # champion or sample
    engine: str
    text: str  # spoken text, with the lexicon applied
    written: str = ""  # the text of the line; empty for takes of earlier studios
    settings: Mapping[str, float] | None = None  # settings of the casting; None for takes of earlier studios
    limit: str = ""  # the length limit in the sheet
    version: str  # version of the champion
    made_from: str  # digest of everything that the audio depends on, without the seed
    seed: int
    duration_s: float  # stored length including silence; for players
    speech_s: float | None = None  # from the first sound to the end of the last; None for takes of earlier studios
    edges_s: float = 0.0  # silence around it in a delivery, assumed when it was fitted to its length
    peaks: tuple[float, ...] = ()  # its waveform, 0 to 1
    mark: Mark = ""
    marked: int = 0  # number of the mark among the line's marks; the latest mark decides the state of the line
    seen: int = 0  # number of the line's latest take when the mark was given
    comment: str = ""
    checks: tuple[TakeCheck, ...] = ()
    score: float | None = None  # result of the checks, higher is better; None before the checks

    @property
    def failed(self) -> bool:
        return any(check.outcome == "fail" for check in self.checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineEvent:
    """An event in the history of a line."""

    at: str  # ISO 8601, UTC
    what: str  # a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptLine:
    """One row of a sheet."""

    key: str  # permanent, independent of its cells
    cells: tuple[str, ...]  # as many as the sheet has columns
    takes: tuple[LineTake, ...] = ()
    events: tuple[LineEvent, ...] = ()
    revision: int = 0  # the sheet's revision when this line last changed
    deleted: bool = False
    imported: tuple[str, ...] | None = None  # cells in the last file; () = not in that file; None = not recorded

    @property
    def dropped(self) -> bool:
        """Return True if the last file no longer had this line."""
        return self.deleted and self.imported == ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetForm:
    """The form of a table's file, with which the table can be written in the same way."""

    kind: Literal["csv", "tsv", "xlsx"]
    encoding: str = "utf-8"  # Python's name; "utf-8-sig" with a mark at the beginning
    delimiter: str = ","
    newline: str = "\r\n"
    end: str = "\r\n"  # line breaks after the last row
    quoting: Literal["minimal", "all", "breaks"] = "minimal"  # "breaks": only cells with tabs or line breaks in them
    neutral: bool = False  # True if an apostrophe precedes cells that begin like a formula; `Table` omits it
    above: tuple[tuple[str, ...], ...] = ()  # rows above the header
    title: str = ""  # title of the worksheet
    numbers: tuple[int, ...] = ()  # columns of numbers in a worksheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The cells of a file as text, in the file's order."""

    columns: tuple[str, ...]  # names as written; may repeat or be empty; all are empty without a header
    rows: tuple[tuple[str, ...], ...]  # each has the length of `columns`
    form: SheetForm
    notes: tuple[str, ...] = ()  # sentences on what was not imported


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A sheet of a project."""

    id: str
    name: str  # name of its file
    columns: tuple[str, ...]
    roles: Mapping[Role, int]  # column of each role; a role may have none
    form: SheetForm
    lines: tuple[ScriptLine, ...]
    revision: int = 1  # increases with every change


@dataclass(frozen=True, slots=True, kw_only=True)
class CastClip:
    """A part of an uploaded clip that speaks without being a champion, with its transcript."""

    clip_id: str
    start_s: float
    end_s: float
    transcript: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Casting:
    """A voice with its engine and settings."""

    voice: str  # a champion's id, or a sample's name; with a clip, a name for it
    engine: str = ""  # "" = the champion's engine, or the studio's first
    settings: Mapping[str, float] = field(default_factory=dict)
    clip: CastClip | None = None  # speaks instead of a champion or sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Respelling:
    """A word of the lexicon, and what is spoken in its place."""

    word: str
    spoken: str
    match_case: bool = False
    whole_word: bool = True
    voice: str = ""  # only for this champion; "" = for all


# By character, then by emotion; "" is the default. With several castings, each speaks the line.
Cast = Mapping[str, Mapping[str, tuple[Casting, ...]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryChoice:
    """The name of a delivery preset, or "custom", and the fields that differ from it."""

    preset: str = "game"
    choices: Mapping[str, Any] = field(default_factory=dict)  # by field of the preset
    to: str = ""  # a store; empty = a zip to download


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedPreset:
    """Choices of a delivery that a project stores under a name."""

    name: str
    preset: str = "game"  # the preset that the choices change
    choices: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project with its cast, lexicon and sheets."""

    id: str
    name: str
    created_at: str  # ISO 8601, UTC
    cast: Cast = field(default_factory=dict)
    lexicon: tuple[Respelling, ...] = ()
    sheets: tuple[str, ...] = ()  # ids, in the order they are shown
    delivery: DeliveryChoice = field(default_factory=DeliveryChoice)  # the last choice
    presets: tuple[SavedPreset, ...] = ()  # saved choices of deliveries
    deleted: bool = False

    @property
    def session_id(self) -> str:
        """Return the session under which the history keeps the project's takes."""
        return f"{SESSION_PREFIX}{self.id}"


def cell(sheet: Sheet, line: ScriptLine, role: Role) -> str:
    """Return the line's text in the column of this role; "" if there is none."""
    column = sheet.roles.get(role)
    return "" if column is None else line.cells[column].strip()
