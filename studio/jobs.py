"""Long work of the library, off every request's thread: packing, sending, fetching. Told, paused, gone on with, cancelled."""

import logging
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from engines.errors import BadInput, Cancelled, EngineError
from engines.types import Progress
from studio.champions.champion import Conflict

log = logging.getLogger(__name__)

Kind = Literal["package", "import", "plan", "push", "pull", "attach"]
State = Literal["running", "paused", "done", "failed", "cancelled"]
Told = Callable[[Progress], None]
Work = Callable[[Told, threading.Event], object]

ENDED_KEPT = 32
RUNNING_MAX = 8
BEGUN = Progress(0.0, "waiting")


class UnknownJob(BadInput):
    """There is no such work; the studio was started anew since, or it was put away."""


@dataclass(slots=True, eq=False)
class Job:
    """One piece of work. Its thread writes; anybody reads, in any order: each field is told whole."""

    id: str
    kind: Kind
    champion: str
    store: str
    resumable: bool  # whether what was done so far is not done again
    work: Work = field(repr=False)
    state: State = "running"
    progress: Progress = BEGUN
    error: str = ""
    conflict: str = ""  # the id that is taken, where that is why it failed
    result: object = None
    stop: threading.Event = field(default_factory=threading.Event, repr=False)
    stopped_as: State = "cancelled"

    @property
    def ended(self) -> bool:
        return self.state in ("done", "failed", "cancelled")


class Jobs:
    """Any number of threads may ask."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, kind: Kind, champion: str, work: Work, *, store: str = "", resumable: bool = False) -> Job:
        """Begin at once. Raises BadInput where too much is under way."""
        job = Job(secrets.token_urlsafe(12), kind, champion, store, resumable, work)
        with self._lock:
            if (
                sum(other.state == "running" and not other.stop.is_set() for other in self._jobs.values())
                >= RUNNING_MAX
            ):
                raise BadInput("the studio is busy with other archives; try again when one of them is done")
            self._jobs[job.id] = job
            for old in [id for id, other in self._jobs.items() if other.ended][:-ENDED_KEPT]:
                del self._jobs[old]
        self._run(job)
        return job

    def list(self) -> Sequence[Job]:
        """Newest first."""
        with self._lock:
            return list(reversed(self._jobs.values()))

    def get(self, id: str) -> Job:
        """Raises UnknownJob."""
        with self._lock:
            if id not in self._jobs:
                raise UnknownJob("this is no longer known here; begin it again")
            return self._jobs[id]

    def pause(self, id: str) -> Job:
        """Stop, to be gone on with. Raises UnknownJob, and BadInput for work that would begin anew."""
        job = self.get(id)
        if not job.resumable:
            raise BadInput("this cannot be paused; let it finish, or cancel it")
        return self._halt(job, "paused")

    def cancel(self, id: str) -> Job:
        """Stop for good. Raises UnknownJob."""
        job = self.get(id)
        with self._lock:
            if job.state == "paused":
                job.state = "cancelled"
                return job
        return self._halt(job, "cancelled")

    def resume(self, id: str) -> Job:
        """Go on with paused work, or try failed work again where that costs only what is missing. Raises UnknownJob."""
        job = self.get(id)
        with self._lock:
            again = job.state == "paused" or (job.state == "failed" and job.resumable)
            if again:
                job.state, job.error, job.conflict, job.stop = "running", "", "", threading.Event()
        if again:
            self._run(job)
        return job

    def forget(self, id: str) -> None:
        """Put ended work away. Raises UnknownJob, and BadInput while it runs."""
        if not self.get(id).ended:
            raise BadInput("this is still under way; cancel it first")
        with self._lock:
            self._jobs.pop(id, None)

    def close(self) -> None:
        """Stop everything; what is resumable goes on when it is asked for again."""
        for job in self.list():
            job.stop.set()

    def _halt(self, job: Job, how: State) -> Job:
        job.stopped_as = how
        job.stop.set()
        job.progress = Progress(job.progress.fraction, "stopping after what is under way")
        return job

    def _run(self, job: Job) -> None:
        threading.Thread(target=self._work, args=(job,), name=f"{job.kind}-{job.champion}", daemon=True).start()

    def _work(self, job: Job) -> None:
        def told(progress: Progress) -> None:
            if not job.stop.is_set():
                job.progress = progress

        try:
            job.result = job.work(told, job.stop)
            job.progress, job.state = Progress(1.0, job.progress.message), "done"
        except Cancelled:
            job.state = job.stopped_as
        except EngineError as error:
            job.conflict = error.id if isinstance(error, Conflict) else ""
            job.error = str(error)
            job.state = job.stopped_as if job.stop.is_set() else "failed"  # who stopped it wants to hear no more
        except Exception:
            log.exception("%s of %s failed", job.kind, job.champion)
            job.error, job.state = "the studio made a mistake here, which its log tells; try again", "failed"
