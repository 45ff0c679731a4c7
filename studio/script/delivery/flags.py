"""Flags on delivered files that somebody should check. Each flag is one reason."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from studio.script.delivery.lines import DeliveredLine
from studio.sentences import ended

FlagKind = Literal["stale", "mark", "check", "id", "length", "silent", "edges", "peak", "loudness"]

TITLES: Mapping[FlagKind, str] = {  # in display order
    "stale": "Stale take",
    "mark": "Hold or retake",
    "check": "Failed check",
    "length": "Wrong length",
    "id": "Id or name changed",
    "silent": "No speech",
    "edges": "Silence at start and end",
    "peak": "Peak level",
    "loudness": "Loudness",
}


@dataclass(frozen=True, slots=True)
class Flag:
    kind: FlagKind
    message: str  # a sentence


def line_flags(line: DeliveredLine) -> Iterator[Flag]:
    """Yield those flags of a line that are known before its file is made."""
    if line.changed:
        now = ended(f" The sheet now says “{line.sheet_text}”") if line.sheet_text else ""
        yield Flag("stale", f"The take is stale: {line.changed}.{now} Render the line again.")
    if line.mark:
        yield Flag(
            "mark",
            f"The line is marked “{line.mark}”, but its selected take was delivered. Check whether this is intended.",
        )
    if line.sheet_id is not None and line.sheet_id != line.id:
        shared = f"Several lines have the id {line.sheet_id}" if line.sheet_id else "The sheet has no id for this line"
        yield Flag(
            "id",
            f"{shared}. In this delivery, the line has the id {line.id}. To choose another id, type a unique id in the sheet.",
        )
    yield from (Flag("check", fault) for fault in line.faults)
