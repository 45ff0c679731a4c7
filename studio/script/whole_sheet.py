"""Import, render and select a sheet in one call, without a page."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from studio.progress import ProgressReporter
from studio.script.format.script import Casting, DeliveryChoice
from studio.script.render_choice import RenderChoice
from studio.script.render_waiting import render_and_wait
from studio.script.scripts import Scripts
from studio.script.sheet_edit import MarkEdit, SheetEdit


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeSheet:
    """The request. If the sheet exists, only changed lines are rendered."""

    file: Path
    name: str  # file name of the sheet
    encoding: str = ""  # of a CSV that is not Unicode; "" = guessed
    project: str = ""  # name of the project; "" = the name of the sheet
    voices: Mapping[str, str] = field(default_factory=dict)  # voices by character; "" stands for all other characters
    engine: str = ""  # "" = the champion's engine
    takes: int = 1  # takes of each line
    # Maximum number of seeds that are tried for a take whose checks fail; saved with the project. None = as saved.
    best_of: int | None = None
    # Saved with the project, because takes are fitted to its lengths.
    delivery: DeliveryChoice = field(default_factory=DeliveryChoice)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedSheet:
    """A sheet after `select_all`, and the lines without a select."""

    project: str
    sheet: str
    notes: Sequence[str]  # content that was not imported, or cannot be used
    failed: Sequence[tuple[str, str]]  # lines and the reasons of their failures


def select_all(scripts: Scripts, asked: WholeSheet, report: ProgressReporter, stop: threading.Event) -> SelectedSheet:
    """Import and render a sheet, then select takes. Raises EngineError, Cancelled.

    A line without a selected take gets the proposed take.
    """
    project = _project(scripts, asked.project or Path(asked.name).stem)
    if asked.voices:
        cast = {who: {"": (Casting(voice=voice, engine=asked.engine),)} for who, voice in asked.voices.items()}
        scripts.projects.change(project, cast={**scripts.projects.cast(project), **cast})
    scripts.projects.change(project, delivery=asked.delivery, best_of=asked.best_of)
    put = scripts.files.put(project, asked.file, asked.name, asked.encoding)
    sheet = put["id"]
    choice = RenderChoice(sheet=sheet, takes=asked.takes)
    render_and_wait(scripts.renderer, project, choice, report, stop)
    return SelectedSheet(project=project, sheet=sheet, notes=put["notes"], failed=_select(scripts, project, sheet))


def _project(scripts: Scripts, name: str) -> str:
    """Return the id of the project with this name; create it if it does not exist."""
    known = next((each for each in scripts.views.projects() if each["name"] == name), None)
    return str((known or scripts.projects.create(name))["id"])


def _select(scripts: Scripts, project: str, sheet: str) -> Sequence[tuple[str, str]]:
    failed, marks = [], []
    answer = scripts.views.sheet(project, sheet)
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
    scripts.sheets.edit(project, sheet, SheetEdit(marks=marks))
    return failed
