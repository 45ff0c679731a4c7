"""A take that is to be delivered, with all that its file and the tables around it say of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from engines.types import Audio
from studio.script.script import TimedWord


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveredLine:
    id: str  # unlike the ids of all other lines
    character: str
    text: str  # what the take says, as it was written when the take was made
    audio: Callable[[], Audio] = field(repr=False, compare=False)  # asked for twice: once to measure, once to write
    emotion: str = ""
    direction: str = ""
    filename: str = ""  # the sheet's own, with folders or without, with an ending or without
    scene: str = ""
    language: str = ""  # ISO 639-1, with a region or without; "" = the preset's
    notes: str = ""
    take: int = 1  # its number
    voice: str = ""  # champion or sample
    engine: str = ""
    version: str = ""  # of the champion
    settings: Mapping[str, float] = field(default_factory=dict)  # of the engine, those that were chosen
    seed: int = 0
    limit: str = ""  # what the sheet says of the file's length
    mark: Literal["", "hold", "retake"] = ""  # a mark that was given after the select
    changed: str = ""  # what changed in the sheet since the take was made; "" if the take is not stale
    sheet_id: str | None = None  # as the sheet says it, "" if it has none; None = as `id`
    sheet_text: str = ""  # as the sheet says it now, if `text` differs
    faults: tuple[str, ...] = ()  # sentences: which of its checks failed
    made_at: datetime | None = None  # when the take was made; no other time is written anywhere
    words: tuple[TimedWord, ...] = ()  # in the take's own seconds
    row: Mapping[str, str] = field(default_factory=dict)  # the sheet's other columns, for the manifest
