"""Files that appear whole or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def publishing(*targets: Path, sync: bool = True) -> Iterator[list[Path]]:
    """Paths to write to in place of `targets`, beside them; what was written there is renamed to its target at the end.

    On an error no target is changed and nothing else is left. A target may be left unwritten. `sync` waits until the files
    are on the disk, so that a power cut cannot leave an empty one; a cache does without.
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
