"""Files that named endpoints return, where Gradio serves them."""

import secrets
from pathlib import Path

from gradio.utils import get_upload_folder

from studio.database import saving
from studio.files import link_or_copy


def handed(file: Path, name: str) -> str:
    """The file under this name in Gradio's folder, at an address that nobody can guess: Gradio asks nobody who
    they are. It is on the disk once. Raises NotSaved."""
    with saving():
        linked = Path(get_upload_folder()) / secrets.token_urlsafe(16) / name
        linked.parent.mkdir(parents=True)
        link_or_copy(file, linked)
        return str(linked)
