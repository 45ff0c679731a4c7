"""Determine what changed since a take was made."""

from collections.abc import Mapping, Sequence
from typing import Literal

from studio.script.planning import LineReading
from studio.script.script import LineTake
from studio.script.timing import is_limit

Change = Literal["text", "lexicon", "voice", "engine", "setting", "length"]


def changes(take: LineTake, readings: Sequence[LineReading]) -> Sequence[Change]:
    """Return what differs between a stale take and its line now, in a fixed order."""
    reading = next((each for each in readings if each.voice == take.voice), None)
    if reading is None:
        return ["voice"]
    respoken = reading.order.text != take.text
    rewritten = reading.written != take.written if take.written else respoken
    differs: Mapping[Change, bool] = {
        "text": rewritten,
        "lexicon": respoken and not rewritten,
        "voice": reading.order.version != take.version,
        "engine": reading.order.engine != take.engine,
        "setting": bool(changed_settings(take, reading)),
        "length": take.settings is not None and _is_refitted(take, reading),
    }
    return [change for change, is_different in differs.items() if is_different] or ["setting"]


def _is_refitted(take: LineTake, reading: LineReading) -> bool:
    """Return True if the file of the line now has another target length, or other silence within it."""
    return reading.limit != take.limit or (is_limit(reading.limit) and reading.edges_s != take.edges_s)


def changed_settings(take: LineTake, reading: LineReading) -> Sequence[str]:
    """Return the names of settings that differ; none for takes of earlier studios, which lack their settings."""
    if take.settings is None:
        return []
    before, now = take.settings, reading.order.settings
    return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))


def sentence(take: LineTake, readings: Sequence[LineReading]) -> str:
    """Return what changed, for the status of a line, such as "text and setting changed: steps"."""
    names = changes(take, readings)
    reading = next((each for each in readings if each.voice == take.voice), None)
    settings = changed_settings(take, reading) if reading else []
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"{listed} changed" + (f": {', '.join(settings)}" if settings else "")
