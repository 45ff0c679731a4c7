"""Write a delivery as one zip file; equal folders give equal bytes."""

import shutil
import zipfile
from pathlib import Path

from studio.disk.files import atomic_write

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time in zip files
UNIX = 3
READABLE = 0o100644 << 16


def zipped(folder: Path, target: Path) -> None:
    """Write the files of a folder into `target`, sorted by name. Raises OSError; then `target` does not exist.

    Nothing is compressed: audio hardly shrinks, and the output of a compressor depends on its build.
    """
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    with atomic_write(target) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.create_system, entry.external_attr = UNIX, READABLE
            entry.file_size = files[name].stat().st_size
            with files[name].open("rb") as source, archive.open(entry, "w") as sink:
                shutil.copyfileobj(source, sink, 2**20)
