"""A line of a delivery, with all data for its file and the tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from engines.types import Audio
from studio.ears.vocabulary import TimedWord
from studio.languages import ENGLISH


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveredLine:
    """A selected take with the data of its line."""

    id: str  # unique among the lines
    character: str
    text: str  # text of the take as written when the take was made
    audio: Callable[[], Audio] = field(repr=False, compare=False)  # called twice: to measure the audio, and to write it
    emotion: str = ""
    direction: str = ""
    filename: str = ""  # file name in the sheet, with or without folders and ending
    scene: str = ""
    language: str = ENGLISH  # of the take; a BCP 47 tag
    notes: str = ""
    take: int = 1  # number of the take
    take_note: str = ""  # note on the take
    voice: str = ""  # champion or sample
    voices: tuple[str, ...] = ()  # all voices that speak in the take, in the order of their first words
    engine: str = ""
    version: str = ""  # version of the champion
    settings: Mapping[str, float] = field(default_factory=dict)  # chosen settings of the engine
    seed: int = 0
    limit: str = ""  # length limit in the sheet
    mark: Literal["", "hold", "retake"] = ""  # mark of another take, if it was given after the select
    changed: str = ""  # changes of the line since the take was made; "" if the take is not stale
    sheet_id: str | None = None  # id in the sheet, "" if it has none; None = equal to `id`
    sheet_text: str = ""  # present text in the sheet, if `text` differs
    faults: tuple[str, ...] = ()  # sentences on failed checks
    made_at: datetime | None = None  # creation of the take; the only time in a delivery
    words: tuple[TimedWord, ...] = ()  # times in seconds of the take
    row: Mapping[str, str] = field(default_factory=dict)  # the sheet's other columns, for the manifest
