"""The plan of a delivery: selects as lines with ids and names, before any audio is read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from engines.errors import BadInput
from studio.history import History
from studio.script.delivery import DeliveredLine, Preset, file_stems
from studio.script.delivery.identity import refuse_same_ids
from studio.script.identity import delivered_ids, lines_of_same_id
from studio.script.planning import Readings
from studio.script.script import Project, Sheet, TakeCheck, cell
from studio.script.selects import Select, StaleRule, delivered_selects, selects_of
from studio.script.written import directions_of, shown

NAMES_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryPlan:
    """The selects of a sheet and how they are delivered."""

    project: Project
    sheet: Sheet
    preset: Preset
    selects: Sequence[Select]

    @property
    def lines(self) -> Sequence[DeliveredLine]:
        """Return the lines without audio and words."""
        ids = delivered_ids(self.sheet, self.preset.same_ids)
        directions = self.preset.directions
        return [_described(self.sheet, select, ids[select.line.key], directions) for select in self.selects]


def planned(project: Project, sheet: Sheet, preset: Preset, readings: Readings, rule: StaleRule) -> DeliveryPlan:
    """Return the plan. Raises StaleSelects, SameIds, BadInput if no line has a select or names collide, BadSetting."""
    plan = DeliveryPlan(project=project, sheet=sheet, preset=preset, selects=delivered_selects(sheet, readings, rule))
    lines = plan.lines
    refuse_same_ids([line.id for line in lines])
    file_stems(lines, preset)
    return plan


def preview_json(project: Project, sheet: Sheet, preset: Preset, readings: Readings) -> dict[str, Any]:
    """Return what a delivery would contain: the number of files, the first names, stale selects, and shared ids."""
    selects = selects_of(sheet, readings)
    stale = [select for select in selects if select.why]
    plan = DeliveryPlan(project=project, sheet=sheet, preset=preset, selects=selects)
    names, error = _names(plan)
    keys = {select.line.key for select in selects}
    groups = [[key for key in group if key in keys] for group in lines_of_same_id(sheet)]
    ids = {select.line.key: select.name for select in selects}
    return {
        "selects": len(selects),
        "stale": [
            {"line": each.line.key, "id": each.name, "why": each.why, "ready": each.renewed is not None}
            for each in stale
        ],
        "same_ids": [{"id": ids[group[0]], "lines": group} for group in groups if len(group) > 1],
        "names": names,
        "error": error,
    }


def with_sound(line: DeliveredLine, project: Project, select: Select, history: History) -> DeliveredLine:
    """Return the line with its audio, and with the history's data of the take. Raises UnknownTake."""
    stored = history.get(project.session_id, select.take.id)
    audio = partial(history.audio, project.session_id, select.take.id)
    return replace(line, audio=audio, made_at=stored.created_at, settings=dict(stored.order.settings))


def _names(plan: DeliveryPlan) -> tuple[list[str], str]:
    """Return the first file names, and an error if there are none."""
    try:
        stems = file_stems(plan.lines, plan.preset)
    except BadInput as error:
        return [], str(error)
    return [f"{stem}.{plan.preset.format}" for stem in stems[:NAMES_SHOWN]], ""


def _described(sheet: Sheet, select: Select, id: str, directions: bool) -> DeliveredLine:
    """Return a line with the text of its take, with stage directions only if `directions` is set."""
    line, take = select.line, select.take
    others = set(range(len(sheet.columns))) - set(sheet.roles.values())
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
        language=cell(sheet, line, "language"),
        notes=cell(sheet, line, "notes"),
        take=take.number,
        voice=take.voice,
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


def _no_sound() -> Any:
    raise RuntimeError("this line has no audio; `with_sound` adds it")


def _fault(check: TakeCheck) -> str:
    return f"A check failed. {check.message.rstrip('.')}."
