"""The memory of ended requests is freed, and the heap is trimmed only while no request waits or runs."""

import gc
import subprocess
import sys
import weakref
from pathlib import Path
from typing import cast

import pytest

from engines.scheduling.ticket import Ticket
from engines.types import SchedulerEvent
from studio.memory import ARENAS_MAX, HeapTrimmer, glibc_trim
from studio.order import Order
from tests.engines.metronome import Metronome
from tests.studio.house import ENGINE, studio_of
from tests.waiting import PATIENCE_S, until


def ended(kind: str) -> SchedulerEvent:
    return SchedulerEvent(0.0, kind, "f5")  # type: ignore[arg-type]


def test_the_heap_is_trimmed_once_after_the_last_request() -> None:
    queue, trims = ["waits"], list[int]()
    trimmer = HeapTrimmer(lambda: queue, lambda: trims.append(1))
    trimmer.record(ended("stepped"))
    queue.clear()
    trimmer.check()
    assert trims == []
    queue.append("waits")
    trimmer.record(ended("done"))
    trimmer.check()
    assert trims == []
    queue.clear()
    trimmer.check()
    trimmer.check()
    assert trims == [1]


def test_the_heap_is_trimmed_after_an_engine_was_unloaded(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome()) as studio:
        trims = list[int]()
        trimmer = HeapTrimmer(studio.manager.queue, lambda: trims.append(1))
        studio.manager.listen(trimmer.record)
        trimmer.check()
        assert trims == []
        studio.manager.unload(ENGINE)
        until(lambda: studio.manager.status(ENGINE).state == "unloaded")
        trimmer.check()
        assert trims == [1]


@pytest.mark.skipif(sys.platform != "linux", reason="glibc")
def test_glibc_returns_freed_memory() -> None:
    assert glibc_trim()() in (0, 1)  # 1 = memory was returned


@pytest.mark.long
def test_a_stored_take_stays_audible_without_its_request_in_memory(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome(click_s=0.1)) as studio:
        (sample,) = studio.session_clips.samples()
        order = Order(
            text="tick tock",
            clip_id=sample.clip_id,
            start_s=0.0,
            end_s=2.0,
            transcript=sample.transcript,
            engine=ENGINE,
        )
        performance = studio.speaking.speak(order, session_id="ann")
        ticket = weakref.ref(cast(Ticket, performance._ticket))
        assert performance.wait(PATIENCE_S)
        assert performance.result().engine == ENGINE
        gc.collect()
        until(lambda: ticket() is None)
        assert (performance.status().state, performance.wait(0.0)) == ("done", True)
        assert len(performance.audio_from(0, 0.0)) == 900
        performance.cancel()


# Allocates in several threads at once, and prints glibc's description of its arenas.
THREADS = """
import ctypes, threading
from studio.memory import limit_arenas
{}
together = threading.Barrier(6)
def allocate():
    together.wait()
    blocks = [bytes(2_000) for _ in range(100)]
    together.wait()
threads = [threading.Thread(target=allocate) for _ in range(6)]
[each.start() for each in threads]
[each.join() for each in threads]
glibc = ctypes.CDLL(None)
glibc.fdopen.restype = ctypes.c_void_p
out = ctypes.c_void_p(glibc.fdopen(1, b"w"))
glibc.malloc_info(0, out)
glibc.fflush(out)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc")
@pytest.mark.parametrize(("first", "limited"), [("limit_arenas()", True), ("", False)])
def test_threads_share_the_arenas_of_the_c_library(first: str, limited: bool) -> None:
    done = subprocess.run([sys.executable, "-c", THREADS.format(first)], capture_output=True, text=True, check=True)
    assert (done.stdout.count("<heap nr=") <= ARENAS_MAX) is limited
