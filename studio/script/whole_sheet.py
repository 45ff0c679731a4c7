"""A sheet from its file to selected takes in one call, for whoever has no page."""

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
    """What is asked for. Given again with a changed file, only what changed is made."""

    file: Path
    name: str  # of the sheet, its ending included
    encoding: str = ""  # of a CSV that is not Unicode; "" = guessed
    project: str = ""  # its name; "" = the sheet's
    voices: Mapping[str, str] = field(default_factory=dict)  # by character; under "" who speaks all others
    engine: str = ""  # "" = the champion's own
    takes: int = 1  # of each line
    best_of: int = 1  # seeds tried for a take whose checks fail
    delivery: DeliveryChoice = field(default_factory=DeliveryChoice)  # kept with the project; lengths are fitted to it


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedSheet:
    """A sheet whose lines have their selects, and the lines that have none."""

    project: str
    sheet: str
    notes: Sequence[str]  # what did not come in, or cannot be used
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
    """The id of the project of this name, which is made if there is none."""
    known = next((each for each in scripts.list() if each["name"] == name), None)
    return str((known or scripts.create(name))["id"])


def _select(scripts: Scripts, project: str, sheet: str) -> Sequence[tuple[str, str]]:
    failed, marks = [], []
    told = scripts.sheet(project, sheet)
    id = told["roles"].get("id")
    for line in told["lines"]:
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
