"""Files that appear completely or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def publishing(*targets: Path, sync: bool = True) -> Iterator[list[Path]]:
    """Yield a temporary path in the folder of each target, and rename the written ones to their targets at the end.

    On an error, no target changes and no other file remains. A path may stay unwritten. `sync` waits until the files are on
    the disk, so that a power cut cannot leave an empty file; a cache needs no `sync`.
    """
    parts = [target.absolute().with_name(f".{target.name}.{secrets.token_hex(4)}.part") for target in targets]
    try:
        yield parts
        for target, part in zip(targets, parts, strict=True):
            if not part.exists():
                continue
            if sync:
                with part.open("rb") as file:
                    os.fsync(file.fileno())
            part.replace(target)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)
