"""The scheduler's thread reads no text of a request, because this would delay the speech of all sessions."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

import engines.text
from engines.base import Checkpoint, EngineJob
from engines.errors import BadText, UnsupportedText
from engines.registry import EngineOptions, spec
from engines.scheduling.manager import Manager, Policy
from engines.scheduling.ticket import Ticket
from engines.text import MAX_CHARACTERS, MAX_TRANSCRIPT_CHARACTERS
from engines.types import Audio, Reference, Request
from tests.engines.metronome import Metronome, request
from tests.waiting import until
from training.references import SHIPPED, read_references

TEXT = str(Path(engines.text.__file__).parent)
LINE = "(excited) Meet Mr. Jones at 3:45 pm. [pause:0.2s] He has 2 1/2 cups."


@contextmanager
def text_threads() -> Iterator[set[str]]:
    """Collect the names of threads that call engines.text: this thread, and threads that start in the block."""
    names: set[str] = set()

    def record(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(TEXT):
            names.add(threading.current_thread().name)

    threading.setprofile(record)
    sys.setprofile(record)
    try:
        yield names
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def voice() -> Reference:
    samples, transcript = read_references(SHIPPED)["amber"]
    return Reference(Audio(samples, 24_000), transcript)


def heard(ticket: Ticket) -> bool:
    """Return True if the ticket has sound, which the scheduler makes from its whole text; then stop the ticket."""
    until(lambda: ticket.has_audio or ticket.ended)
    ticket.cancel()
    return ticket.has_audio


@pytest.mark.long
@pytest.mark.parametrize("engine", ["f5", "s1"])
def test_an_engine_speaks_without_the_scheduler_reading_text(engine: str) -> None:
    spec(engine).make(EngineOptions())  # this import takes long under a profiler
    wanted = Request(text=LINE, reference=voice(), seed=1, engine=engine)
    with text_threads() as threads:
        manager = Manager({engine: Checkpoint("embedded")}, EngineOptions(compile="off"), Policy())
        manager.start()
        early = manager.submit(wanted, session_id="ann")  # before the engine is loaded
        assert heard(early), early.error
        here = threading.current_thread().name
        before = set(threads)
        later = manager.submit(wanted, session_id="ann")
        assert heard(later), later.error
        manager.close(0.0)
    assert any(name.startswith("preparation") for name in before)
    assert here in threads
    assert "scheduler" not in threads


def test_a_request_that_cannot_be_spoken_is_refused_before_it_waits() -> None:
    manager = Manager({"f5": Checkpoint("embedded")}, EngineOptions(compile="off"), Policy())
    manager.start()
    unsayable = Request(text="Привет", reference=voice(), seed=1, engine="f5")
    early = manager.submit(unsayable, session_id="ann")
    until(lambda: early.ended)
    assert isinstance(early.error, UnsupportedText)
    with pytest.raises(UnsupportedText):
        manager.submit(unsayable, session_id="ann")
    manager.close(0.0)


def test_admit_gets_the_result_of_prepare(houses) -> None:  # type: ignore[no-untyped-def]
    got: list[EngineJob] = []

    class Noting(Metronome):
        def admit(self, job: EngineJob) -> None:
            got.append(job)
            super().admit(job)

    house = houses(tick=Noting())
    until(lambda: house.say("a b").ended or bool(got))
    assert got[0].prepared == ["a", "b"]


def test_the_scheduler_refuses_a_huge_text(houses) -> None:  # type: ignore[no-untyped-def]
    house, one = houses(), request("tick")
    audio = one.reference.audio
    long_text = Request(text="a" * (MAX_CHARACTERS + 1), reference=one.reference, seed=1, engine="tick")
    transcript = Reference(audio, "a" * (MAX_TRANSCRIPT_CHARACTERS + 1))
    for refused in (long_text, Request(text="tick", reference=transcript, seed=1, engine="tick")):
        with pytest.raises(BadText, match="has 5,001 characters; shorten the text to at most 5,000"):
            house.manager.submit(refused, session_id="ann")
