"""Long work: progress, results, pause, resume, cancel, waiting for its end, and failures in words."""

import threading
import time
from collections.abc import Callable

import pytest

from engines.errors import BadInput, Cancelled
from engines.types import Progress
from studio.jobs import RUNNING_MAX, Job, Jobs, UnknownJob
from studio.progress import ProgressReporter
from tests.waiting import until

WAIT_S = 300.0


def counting(total: int, done: list[int]) -> Callable[[ProgressReporter, threading.Event], int]:
    """Work that goes on where it stopped, a step every 5 ms."""

    def work(report: ProgressReporter, stop: threading.Event) -> int:
        while len(done) < total:
            if stop.wait(0.005):
                raise Cancelled("stopped")
            done.append(len(done))
            report(Progress(len(done) / total, f"{len(done)} of {total}"))
        return len(done)

    return work


def test_work_reports_its_progress_and_its_result_is_kept() -> None:
    job = Jobs().start("package", "ahri", counting(3, []))
    until(lambda: job.ended)
    assert (job.state, job.result, job.progress) == ("done", 3, Progress(1.0, "3 of 3"))


def test_paused_work_goes_on_where_it_stopped() -> None:
    jobs, done = Jobs(), []
    job = jobs.start("push", "ahri", counting(40, done), resumable=True)
    until(lambda: len(done) > 2)
    jobs.pause(job.id)
    until(lambda: job.state == "paused")
    so_far = len(done)
    time.sleep(0.05)
    assert len(done) == so_far < 40
    jobs.resume(job.id)
    until(lambda: job.state == "done")
    assert done == list(range(40))


def test_work_that_would_begin_anew_is_not_paused() -> None:
    jobs = Jobs()
    job = jobs.start("package", "ahri", counting(40, []))
    with pytest.raises(BadInput, match="cancel"):
        jobs.pause(job.id)
    jobs.cancel(job.id)
    until(lambda: job.state == "cancelled")


def test_work_that_was_done_before_it_could_stop_says_what_became_of_it() -> None:
    jobs, cancelled = Jobs(), threading.Event()

    def work(report: ProgressReporter, stop: threading.Event) -> None:
        assert cancelled.wait(WAIT_S)
        report(Progress(1.0, "packaged ahri"))

    job = jobs.start("package", "ahri", work)
    jobs.cancel(job.id)
    assert job.progress.message == "stopping after the current step"
    cancelled.set()
    assert job.wait(WAIT_S)
    assert (job.state, job.progress.message) == ("done", "packaged ahri")


def test_paused_work_can_be_cancelled() -> None:
    jobs = Jobs()
    job = jobs.start("pull", "ahri", counting(40, []), resumable=True)
    jobs.pause(job.id)
    until(lambda: job.state == "paused")
    assert jobs.cancel(job.id).state == "cancelled"


def test_what_fails_says_so_in_words_and_an_accident_shows_nothing_of_itself() -> None:
    def refuse(report: ProgressReporter, stop: threading.Event) -> None:
        raise BadInput("the bucket is full; make room")

    def stumble(report: ProgressReporter, stop: threading.Event) -> None:
        raise ZeroDivisionError("secret")

    jobs = Jobs()
    refused, stumbled = jobs.start("push", "ahri", refuse), jobs.start("push", "ahri", stumble)
    until(lambda: refused.ended and stumbled.ended)
    assert (refused.state, refused.error) == ("failed", "the bucket is full; make room")
    assert stumbled.state == "failed" and "secret" not in stumbled.error


def test_failed_work_is_tried_again_where_that_costs_only_what_is_missing() -> None:
    tries: list[int] = []

    def fails_once(report: ProgressReporter, stop: threading.Event) -> str:
        tries.append(1)
        if len(tries) == 1:
            raise BadInput("offline; try again")
        return "sent"

    jobs = Jobs()
    job = jobs.start("push", "ahri", fails_once, resumable=True)
    until(lambda: job.state == "failed")
    jobs.resume(job.id)
    until(lambda: job.state == "done")
    assert (job.result, job.error) == ("sent", "")


def test_too_much_at_once_is_refused_in_words() -> None:
    jobs = Jobs()
    running: list[Job] = [jobs.start("push", "ahri", counting(10_000, [])) for _ in range(RUNNING_MAX)]
    with pytest.raises(BadInput, match="busy"):
        jobs.start("push", "ahri", counting(1, []))
    jobs.close()
    until(lambda: all(job.ended for job in running))


def test_ended_work_is_put_away_and_unknown_then() -> None:
    jobs = Jobs()
    job = jobs.start("package", "ahri", counting(1, []))
    until(lambda: job.ended)
    jobs.forget(job.id)
    with pytest.raises(UnknownJob):
        jobs.get(job.id)


def held(release: threading.Event) -> Callable[[ProgressReporter, threading.Event], str]:
    """Work that ends once it is released or stopped."""

    def work(report: ProgressReporter, stop: threading.Event) -> str:
        while not release.wait(0.005):
            if stop.is_set():
                raise Cancelled("stopped")
        return "done"

    return work


def test_a_job_is_waited_for_until_its_end() -> None:
    release = threading.Event()
    job = Jobs().start("package", "ahri", held(release))
    assert not job.wait(0.0)
    release.set()
    assert job.wait(WAIT_S)
    assert (job.state, job.result) == ("done", "done")


def test_who_waits_for_a_job_goes_on_when_another_thread_cancels_it() -> None:
    jobs = Jobs()
    job = jobs.start("pull", "ahri", held(threading.Event()), resumable=True)
    jobs.pause(job.id)
    until(lambda: job.state == "paused")
    assert not job.wait(0.0)
    waiting = threading.Thread(target=job.wait, args=(WAIT_S,))
    waiting.start()
    jobs.cancel(job.id)
    waiting.join(WAIT_S)
    assert not waiting.is_alive() and job.state == "cancelled"


def test_failed_work_that_is_tried_again_is_waited_for_anew() -> None:
    release, tries = threading.Event(), []

    def fails_once(report: ProgressReporter, stop: threading.Event) -> str:
        tries.append(1)
        if len(tries) == 1:
            raise BadInput("offline; try again")
        return held(release)(report, stop)

    jobs = Jobs()
    job = jobs.start("push", "ahri", fails_once, resumable=True)
    assert job.wait(WAIT_S) and job.state == "failed"
    jobs.resume(job.id)
    assert not job.wait(0.0)
    release.set()
    assert job.wait(WAIT_S) and job.result == "done"
