"""Projects, sheets and lines as the page and programs are told of them."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, Literal

from pydantic import TypeAdapter

from engines.errors import EngineError
from engines.text import estimate_s, parse, without_markers
from studio.script.formula_errors import formula_error, is_formula_error
from studio.script.planning import LineReading, Readings, deciding, fresh
from studio.script.render_queue import RenderStatus
from studio.script.script import Cast, LineTake, Project, ScriptLine, Sheet, cell
from studio.script.staleness import changes, sentence

CAST: TypeAdapter[Cast] = TypeAdapter(Cast)

ESTIMATES_KEPT = 32_768  # each takes 2 ms, and a sheet is told again and again
LineStatus = Literal["empty", "none", "stale", "made", "select", "hold", "retake", "failed"]


def project_json(project: Project, sheets: Sequence[Sheet], render: RenderStatus | None) -> dict[str, Any]:
    return {
        "id": project.id,
        "name": project.name,
        "created_at": project.created_at,
        "sheets": [
            {"id": sheet.id, "name": sheet.name, "lines": _present(sheet), "takes": _takes(sheet)} for sheet in sheets
        ],
        "cast": {
            who: {how: [asdict(each) for each in castings] for how, castings in by.items()}
            for who, by in project.cast.items()
        },
        "lexicon": [asdict(respelling) for respelling in project.lexicon],
        "delivery": asdict(project.delivery),
        "render": render and render_json(render),
    }


def render_json(status: RenderStatus) -> dict[str, Any]:
    """Seconds; `eta_s` is None while it is not known."""
    render = status.render
    return {
        "state": render.state,
        "trouble": render.trouble,
        "sheet": render.sheet,
        "done": status.done,
        "total": status.total,
        "failed": [{"line": line, "message": message} for line, message in status.failures.items()],
        "making": list(status.making),
        "eta_s": None if status.eta_s is None else round(status.eta_s, 1),
        "compute_s": round(render.compute_s, 2),
        "audio_s": round(render.audio_s, 2),
    }


def sheet_json(
    sheet: Sheet, readings: Readings, render: RenderStatus | None, since: int = 0, known: str = ""
) -> dict[str, Any]:
    """The sheet; of its lines those that changed after revision `since`, all where the cast is not `known`."""
    cast = readings.digest
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
        "render": render and render_json(render),
    }


def line_json(sheet: Sheet, line: ScriptLine, readings: Readings, failure: str = "") -> dict[str, Any]:
    spoken, why = _spoken(sheet, line, readings)
    current = {take.id for take in fresh(line, spoken)}
    chosen = proposed([take for take in line.takes if take.id in current])
    status, reason = _status(sheet, line, spoken, current)
    failure = formula_error(sheet, line) or failure
    if failure and status in ("none", "stale"):
        status, reason = "failed", failure
    return {
        "key": line.key,
        "cells": list(line.cells),
        "deleted": line.deleted,
        "status": status,
        "why": why or reason,
        "changed": changes(_standing(line), spoken) if status == "stale" else [],
        "estimate_s": None if is_formula_error(text := cell(sheet, line, "text")) else _estimate_s(text),
        "takes": [
            _take_json(take, () if take.id in current else changes(take, spoken)) | {"proposed": take is chosen}
            for take in line.takes
        ],
        "events": [asdict(event) for event in line.events],
    }


def proposed(takes: Sequence[LineTake]) -> LineTake | None:
    """The best by its checks: one that passed them before one that failed, then by score."""
    return max(takes, key=lambda take: (not take.failed, take.score or 0.0, -take.number), default=None)


def delivered(takes: Sequence[LineTake]) -> LineTake | None:
    """The select, if there is one."""
    return next((take for take in takes if take.mark == "select"), None)


def _spoken(sheet: Sheet, line: ScriptLine, readings: Readings) -> tuple[Sequence[LineReading], str]:
    try:
        return readings.of(sheet, line), ""
    except EngineError as error:
        return (), str(error)


def _status(sheet: Sheet, line: ScriptLine, spoken: Sequence[LineReading], current: set[str]) -> tuple[LineStatus, str]:
    if not cell(sheet, line, "text"):
        return "empty", ""
    select = delivered(line.takes)
    if line.takes and (select.id not in current if select else not current):
        return "stale", sentence(_standing(line), spoken)
    marked = deciding([take for take in line.takes if take.id in current])
    if marked and marked.mark:
        return marked.mark, ""
    if any(not fresh(line, [reading]) for reading in spoken) or not spoken:
        return "none", "" if spoken else "nobody speaks this character yet"
    return "made", ""


def _standing(line: ScriptLine) -> LineTake:
    """Return the take whose age decides whether the line is stale: the select, or the latest."""
    return delivered(line.takes) or line.takes[-1]


def _take_json(take: LineTake, changed: Sequence[str]) -> dict[str, Any]:
    told = asdict(take) | {"stale": bool(changed), "changed": list(changed)}
    return {name: value for name, value in told.items() if name not in ("made_from", "version", "limit", "seen")}


@lru_cache(ESTIMATES_KEPT)
def _estimate_s(text: str) -> float | None:
    try:
        return round(estimate_s(parse(without_markers(text)), None), 2) if text else None
    except EngineError:
        return None


def _present(sheet: Sheet) -> int:
    return sum(not line.deleted for line in sheet.lines)


def _takes(sheet: Sheet) -> int:
    return sum(len(line.takes) for line in sheet.lines if not line.deleted)
