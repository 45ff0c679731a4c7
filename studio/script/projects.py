"""Projects and their sheets on the disk. Each is one JSON document, which every change replaces."""

import logging
import os
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from engines.errors import BadInput
from studio.disk.database import saving
from studio.disk.files import atomic_write
from studio.errors import NotFound
from studio.script.editing import imported_lines
from studio.script.format.script import Project, Role, Sheet, Table

log = logging.getLogger(__name__)

T = TypeVar("T")

FOLDER = "scripts"  # in the data folder
DOCUMENT = "project.json"
NAME_MAX = 120  # characters
COARSE_S = 60.0  # tolerance for the date of a file
PROJECT = TypeAdapter(Project)
SHEET = TypeAdapter(Sheet)


class UnknownProject(NotFound):
    """The project does not exist."""


class UnknownSheet(NotFound):
    """The project has no such sheet."""


class Projects:
    """The projects of a data folder. Thread-safe; one process writes. Documents are read once and kept in memory."""

    def __init__(self, data_dir: Path, now: Callable[[], float] = time.time) -> None:
        """Open the projects; `now` returns seconds since 1970."""
        self._folder, self._now = data_dir / FOLDER, now
        self._lock = threading.RLock()
        self._projects: dict[str, Project] = {}
        self._sheets: dict[tuple[str, str], Sheet] = {}
        for path in sorted(self._folder.glob(f"*/{DOCUMENT}")):
            if (project := _read(PROJECT, path)) is not None:
                self._projects[project.id] = project

    # Projects.

    def list(self) -> Sequence[Project]:
        """Return the projects that are not deleted, oldest first."""
        present = (project for project in self._projects.copy().values() if not project.deleted)
        return sorted(present, key=lambda project: project.created_at)

    def get(self, id: str, *, deleted: bool = False) -> Project:
        """Return a project; `deleted` allows a deleted one. Raises UnknownProject."""
        project = self._projects.get(id)
        if project is None or (project.deleted and not deleted):
            raise UnknownProject("there is no such project; reload the page to see all projects")
        return project

    def create(self, name: str) -> Project:
        """Create a project. Raises BadInput, NotSaved."""
        created_at = datetime.fromtimestamp(self._now(), UTC).isoformat()
        return self._save(Project(id=new_id(), name=checked_name(name), created_at=created_at))

    def change(self, id: str, change: Callable[[Project], Project], *, deleted: bool = False) -> Project:
        """Save and return the project that `change` returns. Raises UnknownProject, NotSaved, and the errors of `change`."""
        with self._lock:
            before = self.get(id, deleted=deleted)
            after = change(before)
            return after if after == before else self._save(after)

    def rename(self, id: str, name: str) -> Project:
        """Rename a project. Raises UnknownProject, BadInput, NotSaved."""
        return self.change(id, lambda project: replace(project, name=checked_name(name)))

    def delete(self, id: str) -> Project:
        """Hide a project until it is restored. Raises UnknownProject, NotSaved."""
        return self.change(id, lambda project: replace(project, deleted=True))

    def restore(self, id: str) -> Project:
        """Undo a deletion. Raises UnknownProject, NotSaved."""
        return self.change(id, lambda project: replace(project, deleted=False), deleted=True)

    def deleted(self, older_than_s: float) -> Sequence[Project]:
        """Return the projects that were deleted longer ago than this."""
        gone = (project for project in self._projects.copy().values() if project.deleted)
        return [project for project in gone if self._age_s(project) >= older_than_s]

    def forget(self, id: str) -> None:
        """Remove a deleted project and its sheets for good."""
        with self._lock:
            shutil.rmtree(self._folder / id)
            del self._projects[id]
            self._sheets = {key: sheet for key, sheet in self._sheets.items() if key[0] != id}

    # Sheets.

    def sheet(self, project_id: str, id: str) -> Sheet:
        """Return a sheet of a project. Raises UnknownProject, UnknownSheet."""
        project = self.get(project_id)
        if id not in project.sheets:
            raise UnknownSheet("this project has no such sheet; reload the page to see all sheets")
        return self._sheet(project_id, id)

    def sheets(self, project_id: str) -> Sequence[Sheet]:
        """Return the sheets of a project, in display order. Raises UnknownProject."""
        return [self._sheet(project_id, id) for id in self.get(project_id).sheets]

    def add_sheet(self, project_id: str, name: str, table: Table, roles: dict[Role, int]) -> Sheet:
        """Add a sheet at the end of a project. Raises UnknownProject, NotSaved."""
        sheet = Sheet(
            id=new_id(),
            name=name,
            columns=table.columns,
            roles=roles,
            form=table.form,
            lines=imported_lines(table.rows),
        )
        with self._lock:
            self.get(project_id)
            self._save_sheet(project_id, sheet)
            self.change(project_id, lambda project: replace(project, sheets=(*project.sheets, sheet.id)))
        return sheet

    def change_sheet(self, project_id: str, id: str, change: Callable[[Sheet], Sheet]) -> Sheet:
        """Save and return the sheet that `change` returns.

        Raises UnknownProject, UnknownSheet, NotSaved, and the errors of `change`.
        """
        with self._lock:
            before = self.sheet(project_id, id)
            after = change(before)
            if after is not before:
                self._save_sheet(project_id, after)
            return after

    def remove_sheet(self, project_id: str, id: str) -> Project:
        """Remove a sheet from its project. Its document stays for `restore_sheet`.

        Raises UnknownProject, UnknownSheet, NotSaved.
        """
        self.sheet(project_id, id)
        return self.change(
            project_id, lambda project: replace(project, sheets=tuple(each for each in project.sheets if each != id))
        )

    def restore_sheet(self, project_id: str, id: str) -> Project:
        """Put a removed sheet back at the end of its project. Raises UnknownProject, UnknownSheet, NotSaved."""
        with self._lock:
            self.get(project_id)
            self._sheet(project_id, id)
            return self.change(project_id, lambda project: replace(project, sheets=(*(set(project.sheets) - {id}), id)))

    def folder(self, id: str) -> Path:
        """Return the folder of a project's documents. Raises UnknownProject."""
        return self._folder / self.get(id, deleted=True).id

    def _age_s(self, project: Project) -> float:
        """Return the seconds since a project's last change. A date in the future is set to now."""
        document = self._folder / project.id / DOCUMENT
        age_s = self._now() - document.stat().st_mtime
        if age_s < -COARSE_S:  # the clock was wrong
            os.utime(document, (self._now(), self._now()))
        return max(0.0, age_s)

    def _sheet(self, project_id: str, id: str) -> Sheet:
        with self._lock:
            if (project_id, id) not in self._sheets:
                known = {path.stem: path for path in (self._folder / project_id).glob("*.json")}
                sheet = _read(SHEET, known[id]) if id in known else None
                if sheet is None:
                    raise UnknownSheet("the file of this sheet is missing or damaged; import the sheet again")
                self._sheets[project_id, id] = sheet
            return self._sheets[project_id, id]

    def _save(self, project: Project) -> Project:
        with self._lock:
            _write(PROJECT, self._folder / project.id / DOCUMENT, project)
            self._projects[project.id] = project
        return project

    def _save_sheet(self, project_id: str, sheet: Sheet) -> None:
        _write(SHEET, self._folder / project_id / f"{sheet.id}.json", sheet)
        self._sheets[project_id, sheet.id] = sheet


def new_id() -> str:
    return secrets.token_hex(8)


def checked_name(name: str) -> str:
    """Return a name with single spaces. Raises BadInput."""
    named = " ".join(name.split())
    if not 0 < len(named) <= NAME_MAX or not named.isprintable():
        raise BadInput(f"a name must have 1 to {NAME_MAX} visible characters; type another name")
    return named


def _read(adapter: TypeAdapter[T], path: Path) -> T | None:
    try:
        return adapter.validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        log.warning("%s cannot be read and is left as it is: %s", path, error)
        return None


def _write(adapter: TypeAdapter[T], path: Path, document: T) -> None:
    """Write a document. Raises NotSaved."""
    with saving(), atomic_write(path) as file:
        file.write(adapter.dump_json(document))
