"""The child process of the ears: when it starts and ends, and what happens when it dies."""

import os
import signal
import sys

import numpy as np
import psutil
import pytest

from engines.types import Audio
from studio.ears.comparing import hear
from studio.ears.ears import Ears, EarsFailed
from studio.ears.models import Models
from studio.script.checks.wording import typed_words
from tests.waiting import until
from training.references import RATE_HZ, VOICES, read_references

SILENCE = Audio(np.zeros(2_400, np.float32), 24_000)


def niceness(models: Models) -> int:
    return psutil.Process().nice()


def process_id(models: Models, clip: Audio) -> int:
    return os.getpid()


def broken(models: Models) -> None:
    raise ValueError("odd audio")


def grown(models: Models) -> int:
    return len(bytearray(200_000_000))


@pytest.fixture
def ears():
    found = Ears(idle_s=3600)
    yield found
    found.close()


def test_the_process_starts_on_first_use_with_low_priority_and_ends_with_the_service(ears: Ears) -> None:
    assert ears.pids == ()
    assert ears.ask(niceness) > psutil.Process().nice()
    (pid,) = ears.pids
    ears.close()
    assert ears.pids == () and not psutil.pid_exists(pid)


def test_a_process_that_died_is_replaced(ears: Ears) -> None:
    died = ears.ask(process_id, SILENCE)
    os.kill(died, signal.SIGKILL)
    assert ears.ask(process_id, SILENCE) != died


def test_an_idle_process_ends() -> None:
    ears = Ears(idle_s=0.0)
    ears.ask(process_id, SILENCE)
    until(lambda: ears.pids == ())


def test_a_process_that_uses_too_much_memory_is_replaced() -> None:
    ears = Ears(rss_max=1)
    assert ears.ask(grown) and ears.pids == ()
    ears.close()


def test_a_task_that_takes_too_long_is_ended() -> None:
    ears = Ears(within_s=0.1, command=(sys.executable, "-c", "import time; time.sleep(3600)"))
    with pytest.raises(EarsFailed, match="too long"):
        ears.transcribe(SILENCE)
    assert ears.pids == ()


def test_an_error_of_a_task_is_an_error_of_the_ears_and_the_process_stays(ears: Ears) -> None:
    with pytest.raises(EarsFailed, match="odd audio"):
        ears.ask(broken)
    assert len(ears.pids) == 1


def test_ears_that_are_off_say_so_and_start_nothing() -> None:
    ears = Ears(on=False)
    with pytest.raises(EarsFailed, match="STUDIO_EARS"):
        ears.transcribe(SILENCE)
    assert ears.align(SILENCE, ()) == () and ears.pids == ()


def test_a_recogniser_that_is_not_there_is_named() -> None:
    ears = Ears("/nowhere")
    with pytest.raises(EarsFailed, match=r"/nowhere lacks config\.json"):
        ears.transcribe(SILENCE)
    ears.close()


def test_a_task_that_waits_can_be_cancelled(ears: Ears) -> None:
    first = ears.later(process_id, SILENCE)
    waiting = [ears.later(process_id, SILENCE) for _ in range(20)]
    assert waiting[-1].cancel()
    assert first.result() == waiting[0].result()


@pytest.mark.long
def test_after_hearing_takes_of_5_s_the_process_returns_freed_memory(ears: Ears) -> None:
    audio, text = read_references(VOICES / "natural")["natural-03"]
    take = Audio(audio[: 5 * RATE_HZ], RATE_HZ)
    for _ in range(3):
        assert ears.ask(hear, take, typed_words(text)) is not None
    (pid,) = ears.pids
    until(lambda: psutil.Process(pid).memory_info().rss < 320_000_000)  # 370 MB without


def test_starting_the_service_imports_no_recogniser() -> None:
    code = "import sys, studio.ears.ears; sys.exit(any(m in sys.modules for m in ('faster_whisper', 'ctranslate2', 'torch')))"
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code]) == 0


def test_hearing_a_take_imports_no_database() -> None:
    code = "import sys, studio.hearing.heard_take; sys.exit('sqlalchemy' in sys.modules)"
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code]) == 0
