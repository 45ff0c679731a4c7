"""Renders on the disk: one JSON document in the folder of each project."""

import logging
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from studio.disk.database import saving
from studio.disk.files import atomic_write
from studio.script.rendering import Render

log = logging.getLogger(__name__)

DOCUMENT = "render.json"
RENDER = TypeAdapter(Render)


def read_render(folder: Path) -> Render | None:
    """Return the render in a project's folder; None if there is none or its document cannot be read."""
    path = folder / DOCUMENT
    try:
        return RENDER.validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        log.warning("%s cannot be read and is left as it is: %s", path, error)
        return None


def write_render(folder: Path, render: Render) -> None:
    """Replace the render in a project's folder. Raises NotSaved."""
    with saving(), atomic_write(folder / DOCUMENT) as file:
        file.write(RENDER.dump_json(render))
