"""Long-running work on champions and scripts, each job in its own thread: progress, pause, resume, cancel, wait."""

import logging
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from engines.errors import BadInput, Cancelled, EngineError
from engines.types import Progress
from studio.disk.files import is_disk_full
from studio.errors import DISK_FULL, NotFound, NotStored, StudioError
from studio.progress import ProgressReporter

log = logging.getLogger(__name__)

Kind = Literal["package", "import", "plan", "push", "pull", "attach", "deliver"]
State = Literal["running", "paused", "done", "failed", "cancelled"]
# The last report is the result as text. The work raises Cancelled soon after the event is set.
Work = Callable[[ProgressReporter, threading.Event], object]

ENDED = ("done", "failed", "cancelled")
ENDED_KEPT = 32
RUNNING_MAX = 8
WAITING = Progress(0.0, "waiting")


class UnknownJob(NotFound, BadInput):
    """The job does not exist: the studio restarted since, or the job was removed from the list."""


@dataclass(slots=True, eq=False)
class Job:
    """One piece of long-running work. Only its own thread writes the fields; any thread may read them."""

    id: str
    kind: Kind
    subject: str  # id of the champion or project
    store: str
    resumable: bool  # True if a restart continues where the job stopped
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
        """Return why the job failed; empty if it did not."""
        return str(self.failure or "")

    @property
    def ended(self) -> bool:
        """Return True if the job is done, failed or cancelled; a paused job has not ended."""
        return self._ended.is_set()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the end of the job, at most `timeout_s` if given. Return True if the job ended."""
        return self._ended.wait(timeout_s)

    def enter(self, state: State) -> None:
        self.state = state
        if state in ENDED:
            self._ended.set()
        else:
            self._ended.clear()


class Jobs:
    """All jobs of a service. Thread-safe."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, kind: Kind, subject: str, work: Work, *, store: str = "", resumable: bool = False) -> Job:
        """Start a job at once. Raises BadInput while too many others run."""
        job = Job(secrets.token_urlsafe(12), kind, subject, store, resumable, work)
        with self._lock:
            running = [other for other in self._jobs.values() if other.state == "running" and not other.stop.is_set()]
            if len(running) >= RUNNING_MAX:
                raise BadInput("the studio is busy with other tasks; try again when one of these tasks is done")
            self._jobs[job.id] = job
            for old in [id for id, other in self._jobs.items() if other.ended][:-ENDED_KEPT]:
                del self._jobs[old]
        self._start_thread(job)
        return job

    def list(self) -> Sequence[Job]:
        """Return the jobs, newest first."""
        with self._lock:
            return list(reversed(self._jobs.values()))

    def get(self, id: str) -> Job:
        """Return a job by id. Raises UnknownJob."""
        with self._lock:
            if id not in self._jobs:
                raise UnknownJob("this task is no longer known to the studio; start the task again")
            return self._jobs[id]

    def pause(self, id: str) -> Job:
        """Pause a job until `resume`. Raises UnknownJob, and BadInput if the job would have to start from its beginning."""
        job = self.get(id)
        if not job.resumable:
            raise BadInput("this task cannot be paused; wait until the task ends, or cancel the task")
        return self._stop(job, "paused")

    def cancel(self, id: str) -> Job:
        """Cancel a job for good. Raises UnknownJob."""
        job = self.get(id)
        with self._lock:
            if job.state == "paused":
                job.enter("cancelled")
                return job
        return self._stop(job, "cancelled")

    def resume(self, id: str) -> Job:
        """Continue a paused job, or retry a failed one if it is resumable. Raises UnknownJob."""
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
        """Remove an ended job from the list. Raises UnknownJob, and BadInput while the job runs or is paused."""
        if not self.get(id).ended:
            raise BadInput("this task is not finished; cancel the task first")
        with self._lock:
            self._jobs.pop(id, None)

    def close(self) -> None:
        """Stop all jobs. A resumable job continues when it is started again."""
        for job in self.list():
            job.stop.set()

    def _stop(self, job: Job, state: State) -> Job:
        job.stopped_as = state
        job.stop.set()
        job.progress = Progress(job.progress.fraction, "stopping after the current step")
        return job

    def _start_thread(self, job: Job) -> None:
        threading.Thread(target=self._run, args=(job,), name=f"{job.kind}-{job.subject}", daemon=True).start()

    def _run(self, job: Job) -> None:
        last_report = WAITING

        def report(progress: Progress) -> None:
            nonlocal last_report
            last_report = progress
            if not job.stop.is_set():
                job.progress = progress

        try:
            job.result = job.work(report, job.stop)
            job.progress = Progress(1.0, last_report.message)  # also if the job finished before it could stop
            job.enter("done")
        except Cancelled:
            job.enter(job.stopped_as)
        except EngineError as error:
            job.failure = error
            job.enter(job.stopped_as if job.stop.is_set() else "failed")  # a stopped job needs no reason
        except Exception as error:
            if is_disk_full(error):
                job.failure = NotStored(DISK_FULL)
            else:
                log.exception("%s of %s failed", job.kind, job.subject)
                job.failure = StudioError(
                    "this task failed because of an error in the studio; try again, or read the studio's log"
                )
            job.enter("failed")
