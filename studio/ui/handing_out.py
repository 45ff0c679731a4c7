"""Files that named endpoints return, where Gradio serves them."""

import secrets
from pathlib import Path

from gradio.utils import get_upload_folder

from studio.database import saving
from studio.files import link_or_copy


def handed(file: Path, name: str) -> str:
    """The file under this name in Gradio's folder, where it is on the disk once. Raises NotSaved."""
    with saving():
        link_or_copy(file, linked := _place(name))
        return str(linked)


def handed_bytes(content: bytes, name: str) -> str:
    """The same of what is no file yet."""
    with saving():
        (written := _place(name)).write_bytes(content)
        return str(written)


def _place(name: str) -> Path:
    """At an address that nobody can guess: Gradio asks nobody who they are."""
    place = Path(get_upload_folder()) / secrets.token_urlsafe(16) / name
    place.parent.mkdir(parents=True)
    return place
