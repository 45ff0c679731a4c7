"""Render lines of a sheet and wait for the end."""

import threading

from engines.errors import Cancelled, Closing
from engines.types import Progress
from studio.database import NotSaved
from studio.progress import ProgressReporter
from studio.script.render_choice import NothingToRender, RenderChoice
from studio.script.render_queue import UnknownRender
from studio.script.renderer import Renderer

LOOK_S = 0.1


def render_and_wait(
    renderer: Renderer, project: str, choice: RenderChoice, report: ProgressReporter, stop: threading.Event
) -> None:
    """Render what is chosen, after an unfinished render of the sheet. Raises BadInput, Closing, NotSaved, Cancelled."""
    if _goes_on(renderer, project, choice.sheet):
        _wait(renderer, project, report, stop)
    try:
        renderer.begin(project, choice)
    except NothingToRender:
        return
    _wait(renderer, project, report, stop)


def _goes_on(renderer: Renderer, project: str, sheet: str) -> bool:
    """Return True if an unfinished render of the sheet continues. Resume a render that a full disk paused."""
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
                "the studio is shutting down; the render continues after the next start; call again after the start"
            )
        if status.render.trouble:
            raise NotSaved(f"the render is paused: {status.render.trouble}")
        report(Progress(status.done / status.total, f"rendered {status.done} of {status.total} lines"))
        if stop.wait(LOOK_S) and not renderer.closed:
            renderer.enter(project, "stopped")
            raise Cancelled("the render was stopped; start it again to continue")
    if status.render.state == "stopped":
        raise Cancelled("the render was stopped; start it again to continue")
