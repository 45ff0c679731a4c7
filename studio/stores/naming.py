"""Where a store keeps what: champions' archives at its top, deliveries of scripts in a folder of their own."""

from dataclasses import dataclass

from studio.champions.champion import ID, check_id


@dataclass(frozen=True, slots=True)
class Naming:
    """The names of one kind of file in every store."""

    folder: str  # within the store; empty, or ends in /
    suffix: str
    media_type: str

    def path(self, id: str) -> str:
        """Of the file, within the store. Raises BadChampion."""
        return f"{self.folder}{check_id(id)}{self.suffix}"

    def id(self, name: str) -> str | None:
        """Of the file of this name in the folder; None for any other file."""
        id = name.removesuffix(self.suffix)
        return id if id != name and ID.fullmatch(id) else None


ARCHIVES = Naming("", ".tar.gz", "application/gzip")
DELIVERIES = Naming("deliveries/", ".zip", "application/zip")
