"""Paths in stores: archives of champions at the top, deliveries of scripts in a separate folder."""

from dataclasses import dataclass

from studio.champion_format.champion import ID, check_id, proposed_id


@dataclass(frozen=True, slots=True)
class Naming:
    """Names of one kind of file, which are equal in every store."""

    folder: str  # folder within the store; empty, or ends in /
    suffix: str
    media_type: str

    def path(self, id: str) -> str:
        """Return the path of a file within the store. Raises BadChampion."""
        return f"{self.folder}{check_id(id)}{self.suffix}"

    def id(self, name: str) -> str | None:
        """Return the id in a file name; None if the file is of another kind."""
        stem = self._stem(name)
        return stem if ID.fullmatch(stem) else None

    def note(self, name: str) -> str:
        """Return the reason why a file of this kind has no id, and a better name; empty for other files and for valid names."""
        stem = self._stem(name)
        if not stem or ID.fullmatch(stem):
            return ""
        return (
            f"{name} cannot be downloaded: an id may contain only the letters a to z, digits, - and _; rename "
            f"the file, for example to {proposed_id(stem)}{self.suffix}"
        )

    def _stem(self, name: str) -> str:
        """Return the name without its suffix; empty if the file is of another kind, hidden, or in a folder."""
        hidden_or_inside = name.startswith(".") or "/" in name
        return "" if hidden_or_inside or not name.endswith(self.suffix) else name.removesuffix(self.suffix)


ARCHIVES = Naming("", ".tar.gz", "application/gzip")
DELIVERIES = Naming("deliveries/", ".zip", "application/zip")
