"""JSON files that describe database rows, and from which a lost database is restored.

Deleting is a rename, which needs no space on a full disk. If a row and its file disagree about a deletion, the item is kept.
"""

import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Generic, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from studio.disk.files import atomic_write, rename

log = logging.getLogger(__name__)

T = TypeVar("T")
SessionId = Annotated[str, Field(alias="owner")]  # the name in the JSON files, so that old files stay readable

PRESENT, DELETED = ".json", ".deleted"


class Descriptions(Generic[T]):
    """`{name}.json` for each row, `{name}.deleted` for one that waits to be purged. Writers must hold a transaction."""

    def __init__(self, folder: Path, type: type[T]) -> None:
        self._folder = folder
        self._adapter = TypeAdapter(type)

    def names(self, *, deleted: bool = False) -> set[str]:
        return {path.stem for path in self._folder.glob(f"*{DELETED if deleted else PRESENT}")}

    def read(self, name: str) -> T | None:
        """Return the row with this name, deleted or not; None if there is none or its file cannot be read."""
        for suffix in (PRESENT, DELETED):
            with suppress(FileNotFoundError):
                try:
                    return self._adapter.validate_json(self._path(name, suffix).read_bytes())
                except ValidationError as error:
                    log.warning("%s cannot be read and is left as it is: %s", self._path(name, suffix), error)
        return None

    def unknown(self, known: set[str]) -> Iterator[tuple[T, bool]]:
        """Yield the rows whose names are not in `known`, and whether each is deleted."""
        present = self.names()
        for name in sorted((present | self.names(deleted=True)) - known):
            thing = self.read(name)
            if thing is not None:
                yield thing, name not in present

    def write(self, name: str, thing: T, *, deleted: bool = False) -> None:
        """Write the file of a row, and rename it if its deletion changed. Raises OSError."""
        described = self._adapter.dump_json(thing, indent=1, by_alias=True)
        target, other = (self._path(name, suffix) for suffix in ((DELETED, PRESENT) if deleted else (PRESENT, DELETED)))
        if other.exists():
            rename(other, target)
        if not target.exists() or target.read_bytes() != described:
            with atomic_write(target) as file:
                file.write(described)

    def remove(self, name: str) -> None:
        for suffix in (PRESENT, DELETED):
            self._path(name, suffix).unlink(missing_ok=True)

    def _path(self, name: str, suffix: str) -> Path:
        return self._folder / f"{name}{suffix}"
