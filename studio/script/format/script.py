"""The data of a project: sheets, lines, casts, and takes of lines."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from engines.types import Segment

Role = Literal["id", "character", "text", "emotion", "filename", "scene", "max_s", "language", "notes"]
Mark = Literal["", "select", "hold", "retake"]
Outcome = Literal["ok", "doubt", "fail", "unmeasured"]

ROLES: tuple[Role, ...] = get_args(Role)
SESSION_PREFIX = "script-"  # prefix of the sessions that store the takes of projects


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeCheck:
    """The result of one check of a take, and the model that measured it."""

    name: str  # such as "words", "edges", "clipping", "length", "likeness" or "quality"
    outcome: Outcome
    message: str  # a sentence for the owner, which says if the result is uncertain
    model: str = ""  # name of the recogniser or encoder; "" for arithmetic
    value: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LineTake:
    """A take of a line. Its audio is in the history, under the project's session."""

    id: str
    number: int  # counts the takes of the line from 1; the keys 1 to 9 choose a take
    voice: str  # champion or sample
    engine: str
    text: str  # spoken text, with the lexicon applied
    written: str = ""  # the text of the line; empty for takes of older studios
    language: str = ""  # of the text; empty for English
    settings: Mapping[str, float] | None = None  # settings of the casting; None for takes of older studios
    limit: str = ""  # the length limit in the sheet
    version: str  # version of the champion
    made_from: str  # digest of all input of the take except the seed
    seed: int
    duration_s: float  # length of the stored audio, with silence; for players
    speech_s: float | None = None  # from the first sound to the end of the last; None for takes of older studios
    edges_s: float = 0.0  # silence that a delivery was expected to add when the take was fitted to its length
    peaks: tuple[float, ...] = ()  # waveform, 0 to 1
    segments: tuple[Segment, ...] = ()  # of a text with several voices
    mark: Mark = ""
    marked: int = 0  # number of the mark in the line's sequence of marks; the latest mark decides the state of the line
    seen: int = 0  # number of the line's latest take when the mark was given
    comment: str = ""
    checks: tuple[TakeCheck, ...] = ()
    score: float | None = None  # result of the checks, higher is better; None before the checks

    @property
    def failed(self) -> bool:
        return any(check.outcome == "fail" for check in self.checks)

    @property
    def ran_away(self) -> bool:
        """Return True if the engine lost control in this take, see `studio/script/checks/runaways.py`."""
        return any(check.name == "runaway" for check in self.checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineEvent:
    """An event in the history of a line."""

    at: str  # ISO 8601, UTC
    what: str  # such as "take 2: select"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptLine:
    """One row of a sheet."""

    key: str  # permanent; does not depend on the cells
    cells: tuple[str, ...]  # one for each column of the sheet
    takes: tuple[LineTake, ...] = ()
    events: tuple[LineEvent, ...] = ()
    revision: int = 0  # the sheet's revision when this line last changed
    deleted: bool = False
    # Cells in the last file; () if that file lacks the line; None = not recorded.
    imported: tuple[str, ...] | None = None

    @property
    def dropped(self) -> bool:
        """Return True if the line was deleted because the last file lacks it."""
        return self.deleted and self.imported == ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetForm:
    """The file format of a table, with which the table can be written in the same way."""

    kind: Literal["csv", "tsv", "xlsx"]
    encoding: str = "utf-8"  # Python's name of the encoding; "utf-8-sig" has a byte order mark
    delimiter: str = ","
    newline: str = "\r\n"
    end: str = "\r\n"  # line breaks at the end of the file
    # "breaks": only cells that contain tabs or line breaks are quoted.
    quoting: Literal["minimal", "all", "breaks"] = "minimal"
    # True if an apostrophe precedes cells that begin like a formula; cells of a `Table` have no such apostrophe.
    neutral: bool = False
    above: tuple[tuple[str, ...], ...] = ()  # rows above the header
    title: str = ""  # title of the worksheet
    numbers: tuple[int, ...] = ()  # columns of a worksheet that contain numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The cells of a file as text, in the file's order."""

    columns: tuple[str, ...]  # names as written; may repeat or be empty; without a header, all are empty
    rows: tuple[tuple[str, ...], ...]  # each has the length of `columns`
    form: SheetForm
    notes: tuple[str, ...] = ()  # sentences on what was not imported


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A sheet of a project."""

    id: str
    name: str  # name of its file
    columns: tuple[str, ...]
    roles: Mapping[Role, int]  # column of each role; some roles may have no column
    form: SheetForm
    lines: tuple[ScriptLine, ...]
    revision: int = 1  # increases with every change


@dataclass(frozen=True, slots=True, kw_only=True)
class CastClip:
    """A part of an uploaded clip with its transcript, which speaks without being a champion."""

    clip_id: str
    start_s: float
    end_s: float
    transcript: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Casting:
    """A voice with its engine and settings."""

    voice: str  # a champion's id or a sample's name; for a clip, any name
    engine: str = ""  # "" = the champion's engine, or the studio's first
    settings: Mapping[str, float] = field(default_factory=dict)
    clip: CastClip | None = None  # speaks instead of a champion or sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Respelling:
    """A word of the lexicon, and the words that are spoken in its place."""

    word: str
    spoken: str
    match_case: bool = False
    whole_word: bool = True
    voice: str = ""  # the champion for which the entry is used; "" = all voices
    language: str = ""  # BCP 47 tag of the lines for which the entry is used; "" = all languages


# Castings by character, then by emotion; "" is the default. If there are several castings, each speaks the line.
Cast = Mapping[str, Mapping[str, tuple[Casting, ...]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryChoice:
    """The name of a delivery preset, or "custom", and the fields that differ from the preset."""

    preset: str = "game"
    choices: Mapping[str, Any] = field(default_factory=dict)  # by field of the preset
    to: str = ""  # a store; empty = a zip to download


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedPreset:
    """Settings of a delivery that a project stores under a name."""

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
    sheets: tuple[str, ...] = ()  # ids, in display order
    delivery: DeliveryChoice = field(default_factory=DeliveryChoice)  # the settings of the last delivery
    presets: tuple[SavedPreset, ...] = ()  # settings of deliveries that were saved under a name
    best_of: int = 1  # seeds that a render tries for a take whose checks fail
    deleted: bool = False

    @property
    def session_id(self) -> str:
        """Return the id of the session in which the history stores the project's takes."""
        return f"{SESSION_PREFIX}{self.id}"


def cell(sheet: Sheet, line: ScriptLine, role: Role) -> str:
    """Return the line's text in the column with this role; "" without such a column."""
    column = sheet.roles.get(role)
    return "" if column is None else line.cells[column].strip()
