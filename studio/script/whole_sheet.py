"""A sheet from its file to selected takes in one call, for whoever has no page."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engines.errors import Cancelled, Closing
from engines.types import Progress
from studio.database import NotSaved
from studio.progress import ProgressReporter
from studio.script.render_choice import NothingToRender, RenderChoice
from studio.script.render_queue import UnknownRender
from studio.script.script import Casting
from studio.script.scripts import Scripts
from studio.script.sheet_edit import MarkEdit, SheetEdit

LOOK_S = 0.1


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
    put = scripts.put_sheet(project, asked.file, asked.name, asked.encoding)
    sheet = put["id"]
    _render(scripts, project, RenderChoice(sheet=sheet, takes=asked.takes, budget=asked.best_of - 1), report, stop)
    return SelectedSheet(project=project, sheet=sheet, notes=put["notes"], failed=_select(scripts, project, sheet))


def _project(scripts: Scripts, name: str) -> str:
    """The id of the project of this name, which is made if there is none."""
    known = next((each for each in scripts.list() if each["name"] == name), None)
    return str((known or scripts.create(name))["id"])


def _render(
    scripts: Scripts, project: str, choice: RenderChoice, report: ProgressReporter, stop: threading.Event
) -> None:
    """Render what is due. Raises Closing, NotSaved, Cancelled."""
    if _goes_on(scripts, project, choice.sheet):
        _wait(scripts, project, report, stop)
    try:
        scripts.render(project, choice)
    except NothingToRender:
        return
    _wait(scripts, project, report, stop)


def _goes_on(scripts: Scripts, project: str, sheet: str) -> bool:
    """Return True if an unfinished render of the sheet continues. Resume a render that a full disk paused."""
    try:
        render = scripts.renderer.status(project).render
    except UnknownRender:
        return False
    if render.sheet != sheet:
        return False
    if render.state == "paused" and render.trouble:
        scripts.enter(project, "running")
        return True
    return render.state == "running"


def _wait(scripts: Scripts, project: str, report: ProgressReporter, stop: threading.Event) -> None:
    """Return when the render is done. Raises Closing, NotSaved, Cancelled."""
    while (status := scripts.renderer.status(project)).render.state in ("running", "paused"):
        if scripts.renderer.closed:
            raise Closing("the studio is shutting down; the render continues after the next start, so call again then")
        if status.render.trouble:
            raise NotSaved(f"the render is paused: {status.render.trouble}")
        report(Progress(status.done / status.total, f"made {status.done} of {status.total} lines"))
        if stop.wait(LOOK_S) and not scripts.renderer.closed:
            scripts.enter(project, "stopped")
            raise Cancelled("the render was stopped; start it again to continue")
    if status.render.state == "stopped":
        raise Cancelled("the render was stopped; start it again to continue")


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
            failed.append((name, line["why"] or "it could not be made"))
        elif line["status"] != "select":
            marks.append(MarkEdit(line=line["key"], take=proposed["id"], mark="select"))
    scripts.edit(project, sheet, SheetEdit(marks=marks))
    return failed
