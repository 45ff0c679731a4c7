"""Fill a folder of the user completely, or leave it empty."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engines.errors import BadInput
from studio.disk.files import STAGING

STAGED = f"{STAGING}delivery"


@contextmanager
def filling(folder: Path) -> Iterator[Path]:
    """Yield the path of an inner folder. Its content moves to `folder` at the end; before, `folder` must be empty or absent.

    A killed process leaves only the inner folder, and the next call removes that folder. Raises BadInput, OSError.
    """
    staged = folder / STAGED
    folder.mkdir(parents=True, exist_ok=True)
    if any(path != staged for path in folder.iterdir()):
        raise BadInput(f"{folder} is not empty; choose a new folder")
    shutil.rmtree(staged, ignore_errors=True)
    try:
        yield staged
        for path in sorted(staged.iterdir(), key=lambda path: path.is_file()):  # tables and manifests last
            path.rename(folder / path.name)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
