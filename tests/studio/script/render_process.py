"""A studio of its own process, which renders until all is made or somebody kills it: `python -m … FOLDER`."""

import sys
from pathlib import Path

from studio.script.render_choice import RenderChoice
from studio.script.render_queue import UnknownRender
from tests.engines.metronome import Metronome
from tests.studio.house import studio_of
from tests.waiting import until

STEP_S = 0.001


def main(folder: Path) -> None:
    with studio_of(folder, Metronome(step_s=STEP_S, click_s=0.01)) as studio:
        (project,) = studio.scripts.views.projects()
        try:
            studio.scripts.renderer.status(project["id"])
        except UnknownRender:
            studio.scripts.renderer.begin(project["id"], RenderChoice(sheet=project["sheets"][0]["id"]))
        until(lambda: studio.scripts.renderer.status(project["id"]).render.state == "done")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
