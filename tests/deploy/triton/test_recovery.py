"""A studio behind Triton that is repeatedly killed or hangs recovers, and `/ping` reports its state."""

import signal
import time
from collections.abc import Iterator

import pytest

from tests.deploy.triton.champions import exported
from tests.deploy.triton.sagemaker import Platform, wav_in
from tests.deploy.triton.serving import on_linux, served
from tests.deploy.triton.truth import Truth, kill
from tests.studio.champions.hearing import understood
from tests.waiting import until

KILLS = 10
LINE = "Our base is under attack."

pytestmark = [on_linux, pytest.mark.long]


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """Provide a platform with one loaded champion."""
    (archive,) = exported(tmp_path_factory.mktemp("exported"), "ahri")
    with served(tmp_path_factory.mktemp("served"), SAGEMAKER_MULTI_MODEL="true") as stack:
        opened = Platform(stack)
        opened.unpack(archive)
        assert opened.load(archive.name).status_code == 200
        yield opened


def test_ten_kills_are_recovered_and_ping_is_never_wrong_for_long(platform: Platform) -> None:
    stack, recovered_s = platform.stack, []
    with Truth(stack) as truth:
        for _ in range(KILLS):
            began = time.monotonic()
            kill(stack)
            until(lambda: not stack.is_ready())
            until(stack.is_ready)
            recovered_s.append(time.monotonic() - began)
            assert understood(wav_in(platform.say_in_bytes("ahri.tar.gz", text=LINE))) == LINE
    print([round(each, 1) for each in recovered_s], round(truth.longest_lie_s, 2))
    assert truth.longest_lie_s < 1.0


def test_a_studio_that_hangs_turns_ping_false_within_a_second(platform: Platform) -> None:
    studio = platform.stack.process("app.py")
    began = time.monotonic()
    studio.send_signal(signal.SIGSTOP)
    until(lambda: not platform.stack.is_ready())
    noticed_s = time.monotonic() - began
    studio.send_signal(signal.SIGCONT)
    until(platform.stack.is_ready)
    print(round(noticed_s, 2))
    assert noticed_s < 1.0


def test_a_killed_triton_restarts_by_itself(platform: Platform) -> None:
    """SageMaker then loads a missing champion again."""
    platform.stack.process("tritonserver").kill()
    until(lambda: not platform.stack.is_ready())
    until(platform.stack.is_ready)
    assert platform.get("ahri.tar.gz").status_code == 404
    assert platform.load("ahri.tar.gz").status_code == 200
