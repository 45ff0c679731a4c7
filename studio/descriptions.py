"""What the database says of each thing, in a file beside the things: a lost database is written anew from these.

A thing is deleted by a rename, which needs no room on a full disk. Where database and description disagree on whether a
thing is deleted, it is not.
"""

import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from studio.files import atomic_write, rename

log = logging.getLogger(__name__)

T = TypeVar("T")

KEPT, DELETED = ".json", ".deleted"


class Descriptions(Generic[T]):
    """`{name}.json` for what is kept, `{name}.deleted` for what waits to be purged. Whoever writes holds a transaction."""

    def __init__(self, folder: Path, type: type[T]) -> None:
        self._folder = folder
        self._adapter = TypeAdapter(type)

    def names(self, *, deleted: bool = False) -> set[str]:
        return {path.stem for path in self._folder.glob(f"*{DELETED if deleted else KEPT}")}

    def read(self, name: str) -> T | None:
        """What is described, kept or deleted; None where that cannot be read."""
        for suffix in (KEPT, DELETED):
            with suppress(FileNotFoundError):
                try:
                    return self._adapter.validate_json(self._path(name, suffix).read_bytes())
                except ValidationError as error:
                    log.warning("%s cannot be read and is left as it is: %s", self._path(name, suffix), error)
        return None

    def unknown(self, known: set[str]) -> Iterator[tuple[T, bool]]:
        """What is described but not among these names, and whether it is deleted."""
        kept = self.names()
        for name in sorted((kept | self.names(deleted=True)) - known):
            thing = self.read(name)
            if thing is not None:
                yield thing, name not in kept

    def write(self, name: str, thing: T, *, deleted: bool = False) -> None:
        """Describe a thing as it is now. Raises OSError."""
        described = self._adapter.dump_json(thing, indent=1)
        target, other = (self._path(name, suffix) for suffix in ((DELETED, KEPT) if deleted else (KEPT, DELETED)))
        if other.exists():
            rename(other, target)
        if not target.exists() or target.read_bytes() != described:
            with atomic_write(target) as file:
                file.write(described)

    def remove(self, name: str) -> None:
        for suffix in (KEPT, DELETED):
            self._path(name, suffix).unlink(missing_ok=True)

    def _path(self, name: str, suffix: str) -> Path:
        return self._folder / f"{name}{suffix}"
