"""A sheet's selects as files: gathered, aligned, delivered as a zip, into a folder or to a store."""

import re
import shutil
import threading
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from engines.errors import BadInput
from engines.types import Audio, Progress
from studio.database import saving
from studio.history import History
from studio.jobs import Job, Jobs, UnknownJob
from studio.progress import ProgressReporter, share
from studio.script.checks.wording import TypedWord
from studio.script.delivery import DeliveredLine, DeliveryReport, Preset, deliver, preset_of, zipped
from studio.script.projects import Projects, new_id
from studio.script.script import DeliveryChoice, LineTake, Project, ScriptLine, Sheet, TakeCheck, TimedWord, cell
from studio.script.written import shown, words_of
from studio.stores import ArchiveFacts, Store, UnknownStore
from studio.stores.backend import file_sha256

FOLDER = "deliveries"  # in the data folder; swept by housekeeping
TRANSFERS = "transfers"  # in it: state of interrupted transfers
KEPT_S = 86_400.0  # they can be made again
GATHERED_AT = 0.3  # of the work, when every take was aligned
MADE_AT = 0.7  # of the work, when only sending is left
DIGEST = 12  # digits of the content in its name in a store: other content never replaces it
NAME_MAX = 48  # of project and sheet there
NOT_IN_IDS = re.compile(r"[^a-z0-9]+")
Align = Callable[[Audio, Sequence[TypedWord]], Sequence[TimedWord]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A finished zip and what is in it."""

    path: Path
    name: str  # of the file a browser keeps
    report: DeliveryReport
    where: str = ""  # its address in the store it was sent to


class _Sending:
    """The work of making a zip and sending it to a store. Done again after a failure, it sends what it made before."""

    def __init__(self, make: Callable[[ProgressReporter, threading.Event], Delivery], store: Store, name: str) -> None:
        self._make, self._store, self._name = make, store, name
        self._made: Delivery | None = None

    def __call__(self, report: ProgressReporter, stop: threading.Event) -> Delivery:
        if self._made is None or not self._made.path.is_file():
            self._made = self._make(share(report, 0.0, MADE_AT), stop)
        path = self._made.path
        facts = ArchiveFacts(sha256=file_sha256(path, stop), identity="", bytes=path.stat().st_size)
        id = f"{_id_part(self._name)}-{facts.sha256[:DIGEST]}"
        self._store.push(id, path, facts, share(report, MADE_AT, 1.0), stop)
        return replace(self._made, where=self._store.where(id))


class Deliveries:
    """Any number of threads may call it."""

    def __init__(
        self, projects: Projects, history: History, align: Align, data_dir: Path, stores: Mapping[str, Store]
    ) -> None:
        """`align` finds the words of a take; it may find none. `stores` take deliveries, by name."""
        self.jobs = Jobs()
        self.stores = stores
        self._projects, self._history, self._align = projects, history, align
        self.folder = data_dir / FOLDER

    def begin(self, project_id: str, sheet_id: str, choice: DeliveryChoice) -> Job:
        """A job whose result is a Delivery, sent to a store if one is named; failed on its way there, it is resumed.

        Raises UnknownSheet, UnknownStore, BadSetting, BadInput where nothing is selected.
        """
        project, sheet = self._projects.get(project_id), self._projects.sheet(project_id, sheet_id)
        preset = preset_of(choice.preset, {"project": project.name, **choice.choices})
        if choice.to:
            work = self._sending(project, sheet, preset, choice.to)
            return self.jobs.start("deliver", project.id, work, store=choice.to, resumable=True)
        return self.jobs.start("deliver", project.id, partial(self._zip, project, sheet, selected(sheet), preset))

    def get(self, project_id: str, id: str) -> Job:
        """Raises UnknownJob."""
        job = self.jobs.get(id)
        if job.champion != project_id:
            raise UnknownJob("this delivery is another project's; begin one here")
        return job

    def finished(self, project_id: str, id: str) -> Delivery:
        """Raises UnknownJob while it is not done, and once it was swept."""
        made = self.get(project_id, id).result
        if not isinstance(made, Delivery) or not made.path.is_file():
            raise UnknownJob("this delivery is not there, or no longer; deliver again")
        return made

    def store(self, name: str) -> Store:
        """Raises UnknownStore."""
        if name not in self.stores:
            known = ", ".join(self.stores) or "none; add a folder or S3 to STUDIO_STORES"
            raise UnknownStore(f"{name} takes no deliveries (the Hub holds voices alone); these stores do: {known}")
        return self.stores[name]

    def into(
        self, folder: Path, project_id: str, sheet_id: str, preset: Preset, report: ProgressReporter
    ) -> DeliveryReport:
        """Deliver into a folder that is empty or absent. Raises UnknownSheet, BadInput, OSError."""
        project, sheet = self._projects.get(project_id), self._projects.sheet(project_id, sheet_id)
        return self._deliver(project, sheet, selected(sheet), preset, folder, report, threading.Event())

    def send(self, store: str, project_id: str, sheet_id: str, preset: Preset, report: ProgressReporter) -> Delivery:
        """Deliver to a store. Raises UnknownSheet, UnknownStore, BadInput, StoreError, NotSaved."""
        project, sheet = self._projects.get(project_id), self._projects.sheet(project_id, sheet_id)
        return self._sending(project, sheet, preset, store)(report, threading.Event())

    def _sending(self, project: Project, sheet: Sheet, preset: Preset, store: str) -> _Sending:
        zip_ = partial(self._zip, project, sheet, selected(sheet), preset)
        return _Sending(zip_, self.store(store), f"{project.name}-{Path(sheet.name).stem}")

    def _zip(
        self,
        project: Project,
        sheet: Sheet,
        selects: Sequence[tuple[ScriptLine, LineTake]],
        preset: Preset,
        report: ProgressReporter,
        stop: threading.Event,
    ) -> Delivery:
        target = self.folder / f"{new_id()}.zip"
        folder = target.with_suffix("")
        with saving():
            try:
                made = self._deliver(project, sheet, selects, preset, folder, report, stop)
                zipped(folder, target)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        return Delivery(path=target, name=f"{Path(sheet.name).stem}.zip", report=made)

    def _deliver(
        self,
        project: Project,
        sheet: Sheet,
        selects: Sequence[tuple[ScriptLine, LineTake]],
        preset: Preset,
        folder: Path,
        report: ProgressReporter,
        stop: threading.Event,
    ) -> DeliveryReport:
        gathered, finding = [], share(report, 0.0, GATHERED_AT)
        for number, (line, take) in enumerate(selects):
            if stop.is_set():
                break  # the delivery says so in its first step
            finding(Progress(number / len(selects), f"finding the words of {_name(sheet, line)}"))
            gathered.append(self._delivered(project, sheet, line, take, preset))

        return deliver(gathered, preset, folder, share(report, GATHERED_AT, 1.0), stop)

    def _delivered(
        self, project: Project, sheet: Sheet, line: ScriptLine, take: LineTake, preset: Preset
    ) -> DeliveredLine:
        audio = partial(self._history.audio, project.session_id, take.id)
        stored = self._history.get(project.session_id, take.id)
        written = take.written or cell(sheet, line, "text")
        words = words_of(take, written, project.lexicon)
        others = set(range(len(sheet.columns))) - set(sheet.roles.values())
        return DeliveredLine(
            id=_name(sheet, line),
            character=cell(sheet, line, "character"),
            text=shown(written, take.text, directions=preset.directions),
            emotion=cell(sheet, line, "emotion"),
            filename=cell(sheet, line, "filename"),
            scene=cell(sheet, line, "scene"),
            language=cell(sheet, line, "language"),
            notes=cell(sheet, line, "notes"),
            take=take.number,
            voice=take.voice,
            engine=take.engine,
            seed=take.seed,
            faults=tuple(_fault(check) for check in take.checks if check.outcome == "fail"),
            made_at=stored.created_at,
            words=tuple(self._align(audio(), words)),
            audio=audio,
            row={sheet.columns[column]: line.cells[column] for column in sorted(others)},
        )


def selected(sheet: Sheet) -> Sequence[tuple[ScriptLine, LineTake]]:
    """The lines that have a select, and it. Raises BadInput where none has."""
    found = [(line, take) for line in sheet.lines if not line.deleted for take in line.takes if take.mark == "select"]
    if not found:
        raise BadInput("no line has a select yet; mark the take of each line that is to be delivered")
    return found


def report_json(report: DeliveryReport) -> dict[str, Any]:
    """What was delivered, and what somebody should look at. Nothing is named `path`, which Gradio's clients take for a file."""
    flagged = [{"file": file.path, "flags": list(file.flags)} for file in report.files if file.flags]
    return {
        "files": len(report.files),
        "flagged": flagged,
        "characters": [asdict(level) for level in report.characters],
        "flags": list(report.flags),
    }


def _id_part(name: str) -> str:
    """What of a name an id may hold; never empty."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return NOT_IN_IDS.sub("-", plain)[:NAME_MAX].strip("-") or "script"


def _fault(check: TakeCheck) -> str:
    return f"The check of {check.name} failed: {check.message.rstrip('.')}."


def _name(sheet: Sheet, line: ScriptLine) -> str:
    return cell(sheet, line, "id") or line.key
