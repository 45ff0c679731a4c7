"""Determine what changed since a take was made."""

from collections.abc import Mapping, Sequence
from typing import Literal

from studio.languages import is_english
from studio.script.format.length_limit import is_limit
from studio.script.format.script import LineTake
from studio.script.planning import LineReading, names_in

Change = Literal["text", "lexicon", "language", "voice", "engine", "setting", "length"]


def changes(take: LineTake, readings: Sequence[LineReading]) -> Sequence[Change]:
    """Return the differences between a stale take and the present line, in a fixed order."""
    reading = next((each for each in readings if each.voice == take.voice), None)
    if reading is None:
        return ["voice"]
    respoken = reading.order.text != take.text
    rewritten = reading.written != take.written if take.written else respoken
    in_other_language = _spoken_in(reading.order.language) != _spoken_in(take.language)
    differs: Mapping[Change, bool] = {
        "text": rewritten,
        "lexicon": respoken and not rewritten and not in_other_language,
        "language": in_other_language,
        "voice": reading.order.version != take.version,
        "engine": reading.order.engine != take.engine,
        "setting": bool(changed_settings(take, reading)),
        "length": take.settings is not None and _is_refitted(take, reading),
    }
    found: list[Change] = [change for change, is_different in differs.items() if is_different]
    # A take does not store the versions of the voices in its text. If nothing else differs, such a version is the reason.
    return found or ["voice" if reading.named_voices or names_in(take.text) else "setting"]


def _spoken_in(language: str) -> str:
    return "" if is_english(language) else language


def _is_refitted(take: LineTake, reading: LineReading) -> bool:
    """Return True if the line now has another length limit, or another silence within its length."""
    return reading.limit != take.limit or (is_limit(reading.limit) and reading.edges_s != take.edges_s)


def changed_settings(take: LineTake, reading: LineReading) -> Sequence[str]:
    """Return the names of the settings that differ; none for takes of older studios, which have no settings."""
    if take.settings is None:
        return []
    before, now = take.settings, reading.order.settings
    return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))


def sentence(take: LineTake, readings: Sequence[LineReading]) -> str:
    """Return the changes as text for the status of a line, such as "text and settings (steps) changed"."""
    reading = next((each for each in readings if each.voice == take.voice), None)
    settings = changed_settings(take, reading) if reading else []
    which = f" ({', '.join(settings)})" if settings else ""
    names = [f"settings{which}" if name == "setting" else name for name in changes(take, readings)]
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"{listed} changed"
