"""Import, render and select a sheet in one call, without a page."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from studio.progress import ProgressReporter
from studio.script.render_choice import RenderChoice
from studio.script.render_waiting import render_and_wait
from studio.script.script import Casting, DeliveryChoice
from studio.script.scripts import Scripts
from studio.script.sheet_edit import MarkEdit, SheetEdit


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeSheet:
    """The request. With a changed file, only changed lines are made."""

    file: Path
    name: str  # name of the sheet with ending
    encoding: str = ""  # of a CSV that is not Unicode; "" = guessed
    project: str = ""  # name of the project; "" = the name of the sheet
    voices: Mapping[str, str] = field(default_factory=dict)  # by character; "" is for all others
    engine: str = ""  # "" = the champion's engine
    takes: int = 1  # takes of each line
    best_of: int = 1  # seeds that are tried for a take whose checks fail
    delivery: DeliveryChoice = field(default_factory=DeliveryChoice)  # saved with the project; lengths are fitted to it


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedSheet:
    """A sheet with selects, and the lines that have none."""

    project: str
    sheet: str
    notes: Sequence[str]  # what was not imported, or cannot be used
    failed: Sequence[tuple[str, str]]  # line and reason


def select_all(scripts: Scripts, asked: WholeSheet, report: ProgressReporter, stop: threading.Event) -> SelectedSheet:
    """Import, render, and mark the proposed take of every line without a select. Raises EngineError, Cancelled."""
    project = _project(scripts, asked.project or Path(asked.name).stem)
    if asked.voices:
        cast = {who: {"": (Casting(voice=voice, engine=asked.engine),)} for who, voice in asked.voices.items()}
        scripts.change(project, cast={**scripts.cast(project), **cast})
    scripts.change(project, delivery=asked.delivery)
    put = scripts.put_sheet(project, asked.file, asked.name, asked.encoding)
    sheet = put["id"]
    choice = RenderChoice(sheet=sheet, takes=asked.takes, budget=asked.best_of - 1)
    render_and_wait(scripts.renderer, project, choice, report, stop)
    return SelectedSheet(project=project, sheet=sheet, notes=put["notes"], failed=_select(scripts, project, sheet))


def _project(scripts: Scripts, name: str) -> str:
    """Return the id of the project with this name; create it if it does not exist."""
    known = next((each for each in scripts.list() if each["name"] == name), None)
    return str((known or scripts.create(name))["id"])


def _select(scripts: Scripts, project: str, sheet: str) -> Sequence[tuple[str, str]]:
    failed, marks = [], []
    answer = scripts.sheet(project, sheet)
    id = answer["roles"].get("id")
    for line in answer["lines"]:
        if line["deleted"] or line["status"] == "empty":
            continue
        proposed = next((take for take in line["takes"] if take["proposed"]), None)
        if proposed is None:
            name = line["key"] if id is None else line["cells"][id]
            failed.append((name, line["why"] or "the line could not be rendered"))
        elif line["status"] != "select":
            marks.append(MarkEdit(line=line["key"], take=proposed["id"], mark="select"))
    scripts.edit(project, sheet, SheetEdit(marks=marks))
    return failed
