"""Flags on delivered files that somebody should check."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from studio.script.delivery.lines import DeliveredLine

FlagKind = Literal["stale", "mark", "check", "id", "length", "silent", "edges", "peak", "loudness"]

TITLES: Mapping[FlagKind, str] = {  # in the order in which they are shown
    "stale": "Stale take",
    "mark": "Hold or retake",
    "check": "Failed check",
    "length": "Wrong length",
    "id": "Id or name changed",
    "silent": "No speech",
    "edges": "Silence at the edges",
    "peak": "Peak level",
    "loudness": "Loudness",
}


@dataclass(frozen=True, slots=True)
class Flag:
    kind: FlagKind
    message: str  # a sentence


def line_flags(line: DeliveredLine) -> Iterator[Flag]:
    """Yield flags that are known before the file is made."""
    if line.changed:
        end = "" if line.sheet_text.endswith((".", "!", "?", "…")) else "."
        now = f" The sheet now says “{line.sheet_text}”{end}" if line.sheet_text else ""
        yield Flag("stale", f"The take is stale: {line.changed}.{now}")
    if line.mark:
        yield Flag("mark", f"The line is marked “{line.mark}”, and its select is delivered.")
    if line.sheet_id is not None and line.sheet_id != line.id:
        shared = f"Several lines have the id {line.sheet_id}" if line.sheet_id else "The sheet has no id for this line"
        yield Flag("id", f"{shared}. This delivery uses {line.id}.")
    yield from (Flag("check", fault) for fault in line.faults)
