"""List the files of a backup, and check the paths in an archive."""

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from studio.disk.files import PARTIAL, STAGING

DATABASE = "studio.sqlite"
SCRIPTS = "scripts"
CLIPS = "clips"
# Folders whose content cannot be made again. Caches, deliveries, uploads, locks and the reserve are left out.
KEPT = ("champions", CLIPS, "listening", SCRIPTS, "settings", "shelves", "takes", "trials")
TEMPORARY = tuple(f"champions/{name}" for name in ("archives", "attachments", "staging", "transfers"))
NOT_PLAIN = re.compile(r"[\x00-\x1f\x7f\\:]|[\ud800-\udfff]")


def kept_files(data_dir: Path, *folders: str) -> Iterator[str]:
    """Yield the paths of the finished files in these folders of the data folder."""
    for folder in folders:
        for place, inner, names in os.walk(data_dir / folder):
            above = Path(place).relative_to(data_dir)
            inner[:] = sorted(name for name in inner if not _is_temporary(above / name))
            yield from ((above / name).as_posix() for name in sorted(names) if not _is_temporary(above / name))


def is_allowed(path: str) -> bool:
    """Return True if an archive may have a file with this path: relative, plain, and in a folder that a backup contains."""
    parts = path.split("/")
    plain = not NOT_PLAIN.search(path) and not {"", ".", ".."} & set(parts)
    return plain and (path == DATABASE or (len(parts) > 1 and parts[0] in KEPT))


def _is_temporary(path: Path) -> bool:
    return PurePosixPath(path).as_posix() in TEMPORARY or path.name.startswith(STAGING) or path.name.endswith(PARTIAL)
