"""Long work on champions and scripts, each piece in a thread of its own: progress, pause, resume, cancel, waiting."""

import logging
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from engines.errors import BadInput, Cancelled, EngineError
from engines.types import Progress
from studio.errors import DISK_FULL, NotFound, NotStored, StudioError
from studio.files import is_disk_full
from studio.progress import ProgressReporter

log = logging.getLogger(__name__)

Kind = Literal["package", "import", "plan", "push", "pull", "attach", "deliver"]
State = Literal["running", "paused", "done", "failed", "cancelled"]
# Reports last what became of it; raises Cancelled soon after the event is set.
Work = Callable[[ProgressReporter, threading.Event], object]

ENDED = ("done", "failed", "cancelled")
ENDED_KEPT = 32
RUNNING_MAX = 8
WAITING = Progress(0.0, "waiting")


class UnknownJob(NotFound, BadInput):
    """There is no such job; the studio was restarted since, or it was removed from the list."""


@dataclass(slots=True, eq=False)
class Job:
    """One piece of work. Its own thread writes the fields; any thread may read them, in any order."""

    id: str
    kind: Kind
    champion: str
    store: str
    resumable: bool  # whether what was done so far is not done again
    work: Work = field(repr=False)
    state: State = "running"
    progress: Progress = WAITING
    failure: EngineError | None = None
    result: object = None
    stop: threading.Event = field(default_factory=threading.Event, repr=False)
    stopped_as: State = "cancelled"
    _ended: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def error(self) -> str:
        """Why it failed; empty if it did not."""
        return str(self.failure or "")

    @property
    def ended(self) -> bool:
        """Whether it is done, failed or cancelled; paused work is not at its end."""
        return self._ended.is_set()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Whether it ended within this time; None waits for as long as it takes."""
        return self._ended.wait(timeout_s)

    def enter(self, state: State) -> None:
        self.state = state
        if state in ENDED:
            self._ended.set()
        else:
            self._ended.clear()


class Jobs:
    """Any number of threads may call it."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, kind: Kind, champion: str, work: Work, *, store: str = "", resumable: bool = False) -> Job:
        """Begin at once. Raises BadInput while too many others run."""
        job = Job(secrets.token_urlsafe(12), kind, champion, store, resumable, work)
        with self._lock:
            running = [other for other in self._jobs.values() if other.state == "running" and not other.stop.is_set()]
            if len(running) >= RUNNING_MAX:
                raise BadInput("the studio is busy with similar tasks; try again when a task is finished")
            self._jobs[job.id] = job
            for old in [id for id, other in self._jobs.items() if other.ended][:-ENDED_KEPT]:
                del self._jobs[old]
        self._start_thread(job)
        return job

    def list(self) -> Sequence[Job]:
        """Newest first."""
        with self._lock:
            return list(reversed(self._jobs.values()))

    def get(self, id: str) -> Job:
        """Raises UnknownJob."""
        with self._lock:
            if id not in self._jobs:
                raise UnknownJob("this task no longer exists; start the task again")
            return self._jobs[id]

    def pause(self, id: str) -> Job:
        """Stop until `resume`. Raises UnknownJob, and BadInput for work that would start from its beginning."""
        job = self.get(id)
        if not job.resumable:
            raise BadInput("this task cannot be paused; wait for the end or cancel the task")
        return self._stop(job, "paused")

    def cancel(self, id: str) -> Job:
        """Stop for good. Raises UnknownJob."""
        job = self.get(id)
        with self._lock:
            if job.state == "paused":
                job.enter("cancelled")
                return job
        return self._stop(job, "cancelled")

    def resume(self, id: str) -> Job:
        """Continue paused work, or try failed work again if it is resumable. Raises UnknownJob."""
        job = self.get(id)
        with self._lock:
            again = job.state == "paused" or (job.state == "failed" and job.resumable)
            if again:
                job.failure, job.stop = None, threading.Event()
                job.enter("running")
        if again:
            self._start_thread(job)
        return job

    def forget(self, id: str) -> None:
        """Remove ended work from the list. Raises UnknownJob, and BadInput while it runs or is paused."""
        if not self.get(id).ended:
            raise BadInput("this task is still running; cancel the task first")
        with self._lock:
            self._jobs.pop(id, None)

    def close(self) -> None:
        """Stop everything; what is resumable continues when it is started again."""
        for job in self.list():
            job.stop.set()

    def _stop(self, job: Job, state: State) -> Job:
        job.stopped_as = state
        job.stop.set()
        job.progress = Progress(job.progress.fraction, "stopping after the current step")
        return job

    def _start_thread(self, job: Job) -> None:
        threading.Thread(target=self._run, args=(job,), name=f"{job.kind}-{job.champion}", daemon=True).start()

    def _run(self, job: Job) -> None:
        told = WAITING

        def report(progress: Progress) -> None:
            nonlocal told
            told = progress
            if not job.stop.is_set():
                job.progress = progress

        try:
            job.result = job.work(report, job.stop)
            job.progress = Progress(1.0, told.message)  # also where it was done before it could stop
            job.enter("done")
        except Cancelled:
            job.enter(job.stopped_as)
        except EngineError as error:
            job.failure = error
            job.enter(job.stopped_as if job.stop.is_set() else "failed")  # who stopped it needs no reason
        except Exception as error:
            if is_disk_full(error):
                job.failure = NotStored(DISK_FULL)
            else:
                log.exception("%s of %s failed", job.kind, job.champion)
                job.failure = StudioError("the task failed; see the log for the reason, then try again")
            job.enter("failed")
