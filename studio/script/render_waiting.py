"""Render lines of a sheet, and wait until the render ends."""

import threading

from engines.errors import Cancelled, Closing
from engines.types import Progress
from studio.disk.database import NotSaved
from studio.progress import ProgressReporter, plural
from studio.script.render_choice import NothingToRender, RenderChoice
from studio.script.render_queue import UnknownRender
from studio.script.renderer import Renderer

LOOK_S = 0.1


def render_and_wait(
    renderer: Renderer, project: str, choice: RenderChoice, report: ProgressReporter, stop: threading.Event
) -> None:
    """Finish an unfinished render of the sheet, then render the chosen lines. Raises BadInput, Closing, NotSaved, Cancelled."""
    if _goes_on(renderer, project, choice.sheet):
        _wait(renderer, project, report, stop)
    try:
        renderer.begin(project, choice)
    except NothingToRender:
        return
    _wait(renderer, project, report, stop)


def _goes_on(renderer: Renderer, project: str, sheet: str) -> bool:
    """Return True if the sheet has an unfinished render. Resume the render if a full disk paused it."""
    try:
        render = renderer.status(project).render
    except UnknownRender:
        return False
    if render.sheet != sheet:
        return False
    if render.state == "paused" and render.trouble:
        renderer.enter(project, "running")
        return True
    return render.state == "running"


def _wait(renderer: Renderer, project: str, report: ProgressReporter, stop: threading.Event) -> None:
    """Wait until the render is done. Raises Closing, NotSaved, Cancelled."""
    while (status := renderer.status(project)).render.state in ("running", "paused"):
        if renderer.closed:
            raise Closing(
                "the studio is shutting down; send the request again after the next start, and the render continues"
            )
        if status.render.trouble:
            raise NotSaved(f"the render is paused: {status.render.trouble}")
        made = status.progress
        report(Progress(made.fraction, f"rendered {made.done} of {plural(made.total, 'line')}"))
        if stop.wait(LOOK_S) and not renderer.closed:
            renderer.enter(project, "stopped")
            raise Cancelled("the render was stopped; start it again to continue")
    if status.render.state == "stopped":
        raise Cancelled("the render was stopped; start it again to continue")
