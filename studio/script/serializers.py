"""Projects, sheets and lines as JSON for the page and programs."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, Literal

from pydantic import TypeAdapter

from engines.errors import EngineError
from engines.types import Setting
from studio.estimates import VoicePace, estimated_s, pace_in
from studio.languages import ENGLISH, tag_of
from studio.script.format.script import Cast, Casting, LineTake, Project, ScriptLine, Sheet, cell
from studio.script.formula_errors import is_formula_error
from studio.script.lengths import delivered_s
from studio.script.line_notes import line_notes
from studio.script.planning import LineReading, Readings, deciding, fresh, is_due, renewed
from studio.script.render_progress import RenderStatus
from studio.script.selects import proposed, selected
from studio.script.staleness import changes, sentence

CAST: TypeAdapter[Cast] = TypeAdapter(Cast)

ESTIMATES_KEPT = 32_768  # each estimate takes 2 ms, and sheets are sent often
HIDDEN = ("made_from", "version", "limit", "speech_s", "edges_s", "seen")  # fields of a take that are not sent
# The status "ready" means that the select is stale, and a new take can replace it.
LineStatus = Literal["empty", "none", "stale", "ready", "made", "select", "hold", "retake", "failed"]


def project_json(project: Project, sheets: Sequence[Sheet], render: RenderStatus | None) -> dict[str, Any]:
    return {
        "id": project.id,
        "name": project.name,
        "created_at": project.created_at,
        "sheets": [
            {"id": sheet.id, "name": sheet.name, "lines": _present(sheet), "takes": _takes(sheet)} for sheet in sheets
        ],
        "cast": {
            who: {how: [_casting_json(each) for each in castings] for how, castings in by.items()}
            for who, by in project.cast.items()
        },
        "languages": sorted(_languages(sheets)),
        "lexicon": [asdict(respelling) for respelling in project.lexicon],
        "delivery": asdict(project.delivery),
        "presets": [asdict(preset) for preset in project.presets],
        "best_of": project.best_of,
        "render": render and render_json(render),
    }


def _languages(sheets: Sequence[Sheet]) -> set[str]:
    """Return the language tags in the sheets."""
    stated = {cell(sheet, line, "language") for sheet in sheets for line in sheet.lines if not line.deleted}
    return {tag for each in stated if (tag := tag_of(each))}


def _casting_json(casting: Casting) -> dict[str, Any]:
    fields = asdict(casting)
    return fields if casting.clip else {name: value for name, value in fields.items() if name != "clip"}


def render_json(status: RenderStatus) -> dict[str, Any]:
    """Return the status of a render as JSON, with times in seconds; `eta_s` is None if it is unknown."""
    render = status.render
    return {
        "state": render.state,
        "trouble": render.trouble,
        "sheet": render.sheet,
        "done": status.progress.done,
        "total": status.progress.total,
        "unmade": status.progress.unmade,
        "checking": status.checking,
        "waits": status.waits,
        "failed": [{"line": line, "message": message} for line, message in status.failures.items()],
        "causes": list(status.causes),
        "making": list(status.making),
        "eta_s": None if status.eta_s is None else round(status.eta_s, 1),
        "compute_s": round(render.compute_s, 2),
        "audio_s": round(render.audio_s, 2),
    }


def sheet_json(
    sheet: Sheet, readings: Readings, render: RenderStatus | None, since: int = 0, known: str = ""
) -> dict[str, Any]:
    """Return the sheet with the lines that changed after revision `since`.

    The answer has all lines if `since` is 0, or if `known` is not the digest of the cast.
    """
    cast = readings.digest(sheet)
    failures = render.failures if render and render.render.sheet == sheet.id else {}
    return {
        "id": sheet.id,
        "name": sheet.name,
        "revision": sheet.revision,
        "cast": cast,
        "columns": list(sheet.columns),
        "roles": dict(sheet.roles),
        "characters": sorted({cell(sheet, line, "character") for line in sheet.lines if not line.deleted}),
        "lines": [
            line_json(sheet, line, readings, failures.get(line.key, ""))
            for line in sheet.lines
            if line.revision > since or since == 0 or known != cast
        ],
        "count": _present(sheet),
        **({} if since == sheet.revision and known == cast else {"line_notes": notes_json(sheet, readings)}),
        "render": render and render_json(render),
    }


def notes_json(sheet: Sheet, readings: Readings) -> dict[str, list[dict[str, Any]]]:
    """Return the notes on all lines, by key.

    A change of one line can change the notes of others, such as a shared id.
    """
    return {
        key: [asdict(note) for note in notes]
        for key, notes in line_notes(sheet, readings.languages, readings.unknown_voices).items()
    }


def line_json(sheet: Sheet, line: ScriptLine, readings: Readings, failure: str = "") -> dict[str, Any]:
    text = cell(sheet, line, "text")
    spoken, why = _spoken(sheet, line, readings)
    current = {take.id for take in fresh(line, spoken)}
    chosen = proposed([take for take in line.takes if take.id in current and take.mark != "retake"])
    status, reason = _status(sheet, line, spoken, current)
    failure = readings.fault(sheet, line) or failure
    if failure and status in ("none", "stale"):
        status, reason = "failed", failure
    return {
        "key": line.key,
        "cells": list(line.cells),
        "deleted": line.deleted,
        "status": status,
        "why": why or reason,
        "changed": changes(_standing(line), spoken) if status in ("stale", "ready") else [],
        "due": bool(spoken) and is_due(line, spoken),
        "estimate_s": _estimate_s(sheet, line, readings, spoken),
        "directions": [direction.written for direction in readings.directions_of(text)],
        "takes": [
            _take_json(take, readings.edges_s, () if take.id in current else changes(take, spoken))
            | {"proposed": take is chosen}
            for take in line.takes
        ],
        "events": [asdict(event) for event in line.events],
    }


def _spoken(sheet: Sheet, line: ScriptLine, readings: Readings) -> tuple[Sequence[LineReading], str]:
    try:
        return readings.of(sheet, line), ""
    except EngineError as error:
        return (), str(error)


def _status(sheet: Sheet, line: ScriptLine, spoken: Sequence[LineReading], current: set[str]) -> tuple[LineStatus, str]:
    if not cell(sheet, line, "text"):
        return "empty", ""
    select = selected(line.takes)
    if line.takes and (select.id not in current if select else not current):
        is_ready = select is not None and bool(renewed(line, spoken))
        return "ready" if is_ready else "stale", sentence(_standing(line), spoken)
    marked = deciding([take for take in line.takes if take.id in current])
    if marked and marked.mark:
        return marked.mark, ""
    if any(not fresh(line, [reading]) for reading in spoken) or not spoken:
        return "none", "" if spoken else "this character has no voice; choose a voice in Cast"
    return "made", ""


def _standing(line: ScriptLine) -> LineTake:
    """Return the take that decides whether the line is stale: the select, or else the latest take."""
    return selected(line.takes) or line.takes[-1]


def _take_json(take: LineTake, edges_s: float, changed: Sequence[str]) -> dict[str, Any]:
    """Return a take as JSON. `length_s` is the length of its delivered file, and `changed` lists why it is stale."""
    fields = asdict(take) | {
        "length_s": delivered_s(take, edges_s),
        "stale": bool(changed),
        "changed": list(changed),
    }
    return {name: value for name, value in fields.items() if name not in HIDDEN}


def _estimate_s(sheet: Sheet, line: ScriptLine, readings: Readings, spoken: Sequence[LineReading]) -> float | None:
    """Estimate the length of the line's delivered file; None if the text cannot be read."""
    text = cell(sheet, line, "text")
    language = spoken[0].order.language if spoken else ENGLISH
    pace = readings.pace(spoken)
    value = pace_in(spoken[0].order.settings if spoken else {}, pace)
    voices = readings.speaking_rates_of(text, spoken)
    speech_s = (
        None if is_formula_error(text) else _estimated_speech_s(readings.readable(text), pace, value, language, voices)
    )
    return None if speech_s is None else round(speech_s + readings.edges_s, 2)


@lru_cache(ESTIMATES_KEPT)
def _estimated_speech_s(
    text: str, pace: Setting | None, value: float, language: str, voices: tuple[tuple[str, float], ...]
) -> float | None:
    """Estimate the length of a text in seconds. `voices` lists the voices in the text, each with its speaking rate."""
    paces = {voice: VoicePace(None, own) for voice, own in voices}
    try:
        return estimated_s(text, language, pace=pace, value=value, voices=paces.get) if text else None
    except EngineError:
        return None


def _present(sheet: Sheet) -> int:
    return sum(not line.deleted for line in sheet.lines)


def _takes(sheet: Sheet) -> int:
    return sum(len(line.takes) for line in sheet.lines if not line.deleted)
