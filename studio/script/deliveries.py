"""Deliver the selects of a sheet as a zip, into a folder or to a store. The words of the takes are aligned first."""

import re
import shutil
import threading
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from engines.types import Progress
from studio.disk.database import saving
from studio.history import History
from studio.jobs import Job, Jobs, UnknownJob
from studio.progress import ProgressReporter, share
from studio.script.delivery import DeliveryReport, Preset, deliver, preset_of, zipped
from studio.script.delivery.target_folder import filling
from studio.script.delivery_plan import DeliveryPlan, planned, preview_json, with_sound
from studio.script.format.script import DeliveryChoice, Project, Sheet
from studio.script.planning import Readings
from studio.script.projects import Projects, new_id
from studio.script.selects import StaleRule
from studio.script.word_alignment import WordAlignment, flags_of_missing_times
from studio.script.written import words_of
from studio.stores.backend import file_sha256
from studio.stores.entry import ArchiveFacts
from studio.stores.errors import UnknownStore
from studio.stores.store import Store

FOLDER = "deliveries"  # folder in the data folder; swept by housekeeping
TRANSFERS = "transfers"  # folder in FOLDER, for the state of interrupted transfers
KEPT_S = 86_400.0  # kept for a day, because a delivery can be made again
RENDERED_AT = 0.6  # share of the work that is done after replacing stale selects
GATHERED_AT = 0.3  # share of the work that is done after aligning the takes
MADE_AT = 0.7  # share of the work that is done before the transfer
DIGEST = 12  # digits of the content's hash in the name in a store, so that different content never replaces a delivery
NAME_MAX = 48  # maximum number of characters of project and sheet in that name
UNPLACED = "the words of the text were not found in the audio"
NOT_IN_IDS = re.compile(r"[^a-z0-9]+")
Reselect = Callable[[str, str, ProgressReporter, threading.Event], None]  # arguments: project, sheet, report, stop


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A finished zip and its report."""

    path: Path
    name: str  # name of the downloaded file
    report: DeliveryReport
    where: str = ""  # address in the store; "" without a store


Making = Callable[[ProgressReporter, threading.Event], Delivery]


class _Sending:
    """The work of making a zip and sending it to a store. A retry sends the existing zip."""

    def __init__(self, make: Making, store: Store, name: str) -> None:
        self._make, self._store, self._name = make, store, name
        self._made: Delivery | None = None

    def __call__(self, report: ProgressReporter, stop: threading.Event) -> Delivery:
        if self._made is None or not self._made.path.is_file():
            self._made = self._make(share(report, 0.0, MADE_AT), stop)
        path = self._made.path
        facts = ArchiveFacts(sha256=file_sha256(path, stop), identity="", bytes=path.stat().st_size)
        id = f"{_id_part(self._name)}-{facts.sha256[:DIGEST]}"
        self._store.push(id, path, facts, share(report, MADE_AT, 1.0), stop)
        return replace(self._made, where=self._store.address(id))


class Deliveries:
    """The use cases of deliveries. Thread-safe."""

    def __init__(
        self,
        projects: Projects,
        history: History,
        folder: Path,
        stores: Mapping[str, Store],
        *,
        alignment: WordAlignment,
        readings: Callable[[Project], Readings],
        reselect: Reselect,
    ) -> None:
        """Use `alignment` to find the times of words, `stores` by name as targets, `reselect` to replace stale selects."""
        self.jobs = Jobs()
        self.folder, self.stores = folder, stores
        self._projects, self._history, self._alignment = projects, history, alignment
        self._readings, self._reselect = readings, reselect

    def begin(self, project_id: str, sheet_id: str, choice: DeliveryChoice, stale: StaleRule = "refuse") -> Job:
        """Start a job whose result is a Delivery; `choice` may name a store for it. A failed transfer can be resumed.

        For the rule "render", the choice is saved with the project first, because takes depend on its silence. Raises
        UnknownSheet, UnknownStore, BadSetting, StaleSelects, SameIds, and BadInput if nothing can be delivered.
        """
        make = self._making(project_id, sheet_id, choice, stale)
        if choice.to:
            sheet = self._projects.sheet(project_id, sheet_id)
            work = _Sending(make, self.store(choice.to), self._name(project_id, sheet))
            return self.jobs.start("deliver", project_id, work, store=choice.to, resumable=True)
        return self.jobs.start("deliver", project_id, make)

    def preview(self, project_id: str, sheet_id: str, choice: DeliveryChoice, stale: StaleRule) -> dict[str, Any]:
        """Return the content and the open questions of the delivery that `begin` would make.

        Raises UnknownSheet, BadSetting.
        """
        project, sheet = self._found(project_id, sheet_id, choice)
        return preview_json(project, sheet, _preset(project, choice), self._readings(project), stale)

    def get(self, project_id: str, id: str) -> Job:
        """Return the job of a delivery. Raises UnknownJob."""
        job = self.jobs.get(id)
        if job.subject != project_id:
            raise UnknownJob("this delivery belongs to another project; start a delivery in this project")
        return job

    def finished(self, project_id: str, id: str) -> Delivery:
        """Return a finished delivery. Raises UnknownJob if the job has not ended, or its file was removed."""
        made = self.get(project_id, id).result
        if not isinstance(made, Delivery) or not made.path.is_file():
            raise UnknownJob("the files of this delivery do not exist or were deleted; deliver again")
        return made

    def store(self, name: str) -> Store:
        """Return a store for deliveries. Raises UnknownStore."""
        if name not in self.stores:
            if not self.stores:
                raise UnknownStore("no store accepts deliveries; add a folder or S3 store to STUDIO_STORES")
            raise UnknownStore(f"the store {name} does not accept deliveries; choose {' or '.join(self.stores)}")
        return self.stores[name]

    def into(self, folder: Path, plan: DeliveryPlan, report: ProgressReporter) -> DeliveryReport:
        """Deliver into a folder that is empty or absent. Raises BadInput, OSError; the folder is then empty."""
        with filling(folder) as staged:
            return self._deliver(plan, staged, report, threading.Event())

    def send(self, store: str, plan: DeliveryPlan, report: ProgressReporter) -> Delivery:
        """Deliver to a store. Raises UnknownStore, BadInput, StoreError, NotSaved."""
        sending = _Sending(partial(self._zip, plan), self.store(store), self._name(plan.project.id, plan.sheet))
        return sending(report, threading.Event())

    def plan(self, project_id: str, sheet_id: str, choice: DeliveryChoice, stale: StaleRule) -> DeliveryPlan:
        """Return the plan of a delivery. Raises UnknownSheet, BadSetting, StaleSelects, SameIds, BadInput."""
        project, sheet = self._found(project_id, sheet_id, choice)
        return planned(project, sheet, _preset(project, choice), self._readings(project), stale)

    def _found(self, project_id: str, sheet_id: str, choice: DeliveryChoice) -> tuple[Project, Sheet]:
        """Return the project with this delivery choice, and the sheet. The choice sets silence, on which staleness depends."""
        project, sheet = self._projects.get(project_id), self._projects.sheet(project_id, sheet_id)
        return replace(project, delivery=choice), sheet

    def _name(self, project_id: str, sheet: Sheet) -> str:
        return f"{self._projects.get(project_id).name}-{Path(sheet.name).stem}"

    def _making(self, project_id: str, sheet_id: str, choice: DeliveryChoice, stale: StaleRule) -> Making:
        """Return the work of making a zip. Raises all errors that can be found before the work begins."""
        if stale != "render":
            return partial(self._zip, self.plan(project_id, sheet_id, choice, stale))
        project, _ = self._found(project_id, sheet_id, choice)
        _preset(project, choice)

        def make(report: ProgressReporter, stop: threading.Event) -> Delivery:
            self._projects.change(project_id, lambda project: replace(project, delivery=choice))
            self._reselect(project_id, sheet_id, share(report, 0.0, RENDERED_AT), stop)
            plan = self.plan(project_id, sheet_id, choice, stale)
            return self._zip(plan, share(report, RENDERED_AT, 1.0), stop)

        return make

    def _zip(self, plan: DeliveryPlan, report: ProgressReporter, stop: threading.Event) -> Delivery:
        target = self.folder / f"{new_id()}.zip"
        folder = target.with_suffix("")
        with saving():
            try:
                made = self._deliver(plan, folder, report, stop)
                zipped(folder, target)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        return Delivery(path=target, name=f"{Path(plan.sheet.name).stem}.zip", report=made)

    def _deliver(
        self, plan: DeliveryPlan, folder: Path, report: ProgressReporter, stop: threading.Event
    ) -> DeliveryReport:
        gathered, reasons, finding = [], [], share(report, 0.0, GATHERED_AT)
        for number, (line, select) in enumerate(zip(plan.lines, plan.selects, strict=True)):
            if stop.is_set():
                break  # the delivery raises Cancelled in its first step
            finding(Progress(number / len(plan.selects), f"finding the word times of {line.id}"))
            with_audio = with_sound(line, plan.project, select, self._history)
            if not plan.preset.can_have_word_times:
                gathered.append(with_audio)
                continue
            written = words_of(select.take, select.written, plan.project.lexicon, line.language)
            why = self._alignment.why_unplaceable(line)
            words = () if why else self._alignment.of(with_audio, written)
            reasons.append(why or ("" if words else UNPLACED))
            gathered.append(replace(with_audio, words=words))
        made = deliver(gathered, plan.preset, folder, share(report, GATHERED_AT, 1.0), stop)
        return replace(made, flags=(*made.flags, *flags_of_missing_times(reasons)))


def _preset(project: Project, choice: DeliveryChoice) -> Preset:
    """Return the preset of a choice. Raises BadSetting."""
    return preset_of(choice.preset, {"project": project.name, **choice.choices})


def _id_part(name: str) -> str:
    """Return the characters of a name that are allowed in ids; never empty."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return NOT_IN_IDS.sub("-", plain)[:NAME_MAX].strip("-") or "script"
