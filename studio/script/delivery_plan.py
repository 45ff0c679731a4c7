"""The plan of a delivery: the lines to deliver with their ids and file names. No audio is read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from engines.errors import BadInput
from studio.history import History
from studio.languages import ENGLISH, tag_of
from studio.script.delivery import DeliveredLine, Preset, file_stems
from studio.script.delivery.identity import refuse_same_ids
from studio.script.format.script import LineTake, Project, Sheet, TakeCheck, cell
from studio.script.identity import delivered_ids, lines_of_same_id
from studio.script.planning import Readings
from studio.script.selects import Select, StaleRule, delivered_selects, selects_of
from studio.script.written import directions_of, shown
from studio.sentences import sentence

NAMES_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryPlan:
    """The selects of a sheet, and the settings of their delivery."""

    project: Project
    sheet: Sheet
    preset: Preset
    selects: Sequence[Select]

    @property
    def lines(self) -> Sequence[DeliveredLine]:
        """Return the lines of the delivery. Their audio and words are added later."""
        ids = delivered_ids(self.sheet, self.preset.same_ids)
        return [_described(self.sheet, select, ids[select.line.key], self.preset) for select in self.selects]


def planned(project: Project, sheet: Sheet, preset: Preset, readings: Readings, rule: StaleRule) -> DeliveryPlan:
    """Return the plan.

    Raises StaleSelects, SameIds, BadSetting, and BadInput if no line has a select or file names collide.
    """
    plan = DeliveryPlan(project=project, sheet=sheet, preset=preset, selects=delivered_selects(sheet, readings, rule))
    lines = plan.lines
    refuse_same_ids([line.id for line in lines])
    file_stems(lines, preset)
    return plan


def preview_json(project: Project, sheet: Sheet, preset: Preset, readings: Readings, rule: StaleRule) -> dict[str, Any]:
    """Return a summary of a delivery: the number of selects, the first names, stale selects, and shared ids."""
    selects = selects_of(sheet, readings)
    stale = [select for select in selects if select.why]
    plan = DeliveryPlan(project=project, sheet=sheet, preset=preset, selects=_ruled(selects, rule))
    names, error = _names(plan)
    later, _ = (
        _names(replace(plan, selects=[_next_take(each) for each in plan.selects])) if rule == "render" else (names, "")
    )
    texts = sum(not line.deleted and bool(cell(sheet, line, "text")) for line in sheet.lines)
    keys = {select.line.key for select in selects}
    groups = [[key for key in group if key in keys] for group in lines_of_same_id(sheet)]
    ids = {select.line.key: select.name for select in selects}
    return {
        "selects": len(selects),
        "unselected": max(0, texts - len(selects)),
        "stale": [
            {"line": each.line.key, "id": each.name, "why": each.why, "ready": each.renewed is not None}
            for each in stale
        ],
        "same_ids": [{"id": ids[group[0]], "lines": group} for group in groups if len(group) > 1],
        "names": names,
        "open_names": [name for name, other in zip(names, later, strict=False) if name != other],
        "error": error,
    }


def with_sound(line: DeliveredLine, project: Project, select: Select, history: History) -> DeliveredLine:
    """Return the line with its audio, and with the date and settings of its take. Raises UnknownTake."""
    stored = history.get(project.session_id, select.take.id)
    audio = partial(history.audio, project.session_id, select.take.id)
    return replace(line, audio=audio, made_at=stored.created_at, settings=dict(stored.order.settings))


def _ruled(selects: Sequence[Select], rule: StaleRule) -> Sequence[Select]:
    """Return the selects of a delivery with this rule for stale takes. A take that must be rendered first stays stale."""
    if rule == "leave_out":
        return [select for select in selects if not select.why]
    if rule == "render":
        return [replace(each, take=each.renewed, why="") if each.renewed else each for each in selects]
    return selects


def _next_take(select: Select) -> Select:
    """Return a stale select with the number of a later take; its real number is unknown before the render."""
    number = max((take.number for take in select.line.takes), default=0) + 1
    return replace(select, take=replace(select.take, number=number)) if select.why else select


def _names(plan: DeliveryPlan) -> tuple[list[str], str]:
    """Return the first file names, and the error if there are no valid names."""
    try:
        stems = file_stems(plan.lines, plan.preset)
    except BadInput as error:
        return [], str(error)
    return [f"{stem}.{plan.preset.format}" for stem in stems[:NAMES_SHOWN]], ""


def _language(sheet: Sheet, select: Select, preset: Preset) -> str:
    """Return the tag of the language of a take: of a stale take as spoken; else from the sheet, the preset or the take."""
    spoken = select.take.language
    if select.why and spoken:
        return spoken
    return tag_of(cell(sheet, select.line, "language")) or tag_of(preset.language) or spoken or ENGLISH


def _described(sheet: Sheet, select: Select, id: str, preset: Preset) -> DeliveredLine:
    """Return a line with the text of its take; the preset decides if stage directions are included."""
    line, take, directions = select.line, select.take, preset.directions
    others = set(range(len(sheet.columns))) - set(sheet.roles.values())
    if tag_of(cell(sheet, line, "language")) is None:  # the manifest keeps the text of the cell
        others.add(sheet.roles["language"])
    sheet_id, sheet_text = cell(sheet, line, "id"), cell(sheet, line, "text")
    written = select.written if select.why else sheet_text
    return DeliveredLine(
        id=id,
        character=cell(sheet, line, "character"),
        text=shown(written, take.text, directions=directions),
        emotion=cell(sheet, line, "emotion"),
        direction=directions_of(written, take.text) if directions else "",
        filename=cell(sheet, line, "filename"),
        scene=cell(sheet, line, "scene"),
        language=_language(sheet, select, preset),
        notes=cell(sheet, line, "notes"),
        take=take.number,
        take_note=take.comment,
        voice=take.voice,
        voices=_voices(take),
        version=take.version,
        engine=take.engine,
        seed=take.seed,
        limit=cell(sheet, line, "max_s"),
        mark=select.mark,
        changed=select.why,
        sheet_id=None if sheet_id == id else sheet_id,
        sheet_text="" if not select.why or sheet_text == select.written else sheet_text,
        faults=tuple(_fault(check) for check in take.checks if check.outcome == "fail"),
        audio=_no_sound,
        row={sheet.columns[column]: line.cells[column] for column in sorted(others)},
    )


def _voices(take: LineTake) -> tuple[str, ...]:
    """Return the voices that speak in a take, each once. Names that differ only in capitals are one voice."""
    voices: dict[str, str] = {}
    for name in [segment.voice or take.voice for segment in take.segments] or [take.voice]:
        voices.setdefault(name.casefold(), name)
    return tuple(voices.values())


def _no_sound() -> Any:
    raise RuntimeError("this line has no audio; `with_sound` adds it")


def _fault(check: TakeCheck) -> str:
    return f"A check failed. {sentence(check.message)}"
