"""A delivery as one zip file: the same folder gives the same bytes."""

import shutil
import zipfile
from pathlib import Path

from studio.files import atomic_write

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that zip can tell
UNIX = 3
READABLE = 0o100644 << 16


def zipped(folder: Path, target: Path) -> None:
    """Write the folder's files into `target`, in the order of their names. Raises OSError; then there is no target.

    Nothing is compressed: sound hardly shrinks, and what a compressor writes depends on its build.
    """
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    with atomic_write(target) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.create_system, entry.external_attr = UNIX, READABLE
            entry.file_size = files[name].stat().st_size
            with files[name].open("rb") as source, archive.open(entry, "w") as sink:
                shutil.copyfileobj(source, sink, 2**20)
