"""The estimate of a request's duration: unknown without evidence, close with it, and continuous."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from engines.f5.spec import SPEC
from engines.scheduling.eta import EtaEstimator, completion_times
from engines.scheduling.ticket import Ticket
from engines.types import Audio, Request
from tests.engines.metronome import RATE, request

WORDS = "The bridge is out, take the long way round, and tell the others that the road is closed. "
DEVICE_S = {20: 3.2, 60: 5.7, 120: 9.8, 300: 24.0, 600: 47.2}  # measured: characters and device seconds of F5 on a CPU


def asked(characters: int, engine: str = "tick", more: str = "", **settings: float) -> Request:
    base = request((WORDS * 7)[:characters] + more, engine)
    return Request(text=base.text, reference=base.reference, seed=1, engine=engine, settings=settings)


def ticket(wanted: Request, compute_s: float = 0.0, progress: float = 0.0) -> Ticket:
    made = Ticket("t", wanted, "ann", 0.0, 99.0)
    made.compute_s = compute_s
    made.advance(progress)
    return made


def experienced(*characters: int) -> EtaEstimator:
    estimator = EtaEstimator()
    estimator.add_engine("tick", SPEC.settings, {"speed": 1.0, "steps": 7})
    for each in characters:
        estimator.learn(ticket(asked(each), DEVICE_S[each]))
    return estimator


def test_nothing_is_known_without_evidence() -> None:
    estimator = experienced()
    assert estimator.expected_s(asked(60)) is None
    assert estimator.remaining_s(ticket(asked(60), compute_s=1.0, progress=0.1)) is None
    assert experienced(60).expected_s(asked(60, engine="tock")) is None


def test_a_running_request_estimates_itself_by_its_progress() -> None:
    alone = ticket(asked(60), compute_s=2.0, progress=0.5)
    assert experienced().remaining_s(alone) == pytest.approx(2.0)


@pytest.mark.parametrize("known", DEVICE_S)
@pytest.mark.parametrize("wanted", DEVICE_S)
def test_one_take_is_enough_to_estimate_others_of_any_length(known: int, wanted: int) -> None:
    assert experienced(known).expected_s(asked(wanted)) == pytest.approx(DEVICE_S[wanted], rel=0.35)


def test_twice_the_steps_take_twice_as_long_and_the_default_counts() -> None:
    estimator = experienced(60)
    usual_s = estimator.expected_s(asked(60))
    assert usual_s is not None
    assert estimator.expected_s(asked(60, steps=14)) == pytest.approx(2 * usual_s)
    assert estimator.expected_s(asked(60, steps=7)) == pytest.approx(usual_s)
    estimator.add_engine("stepless", (), {})
    estimator.learn(ticket(asked(60, engine="stepless"), 3.0))
    assert estimator.expected_s(asked(60, engine="stepless", steps=14)) == pytest.approx(3.0)


def test_pauses_cost_nothing_and_speed_costs_less() -> None:
    estimator = experienced(60)
    paused = asked(60)
    assert estimator.expected_s(asked(60, more="[pause:10s]")) == pytest.approx(estimator.expected_s(paused))
    faster, usual = estimator.expected_s(asked(60, speed=2.0)), estimator.expected_s(paused)
    assert faster is not None and usual is not None and faster < usual
    assert estimator.expected_s(asked(60, speed=0.0)) is not None  # refused elsewhere; the estimate must not fail


def recording(seconds: int) -> Request:
    return replace(asked(0), performance=Audio(np.zeros(seconds * RATE, np.float32), RATE))


def test_recordings_have_their_own_rate_which_counts_their_length() -> None:
    estimator = experienced(60)
    assert estimator.expected_s(recording(8)) is None
    before = estimator.expected_s(asked(60))
    estimator.learn(ticket(recording(8), 1.0))
    assert estimator.expected_s(recording(18)) == pytest.approx(2.0)
    assert estimator.expected_s(asked(60)) == before


def test_the_estimate_moves_continuously_from_the_average_to_the_requests_own_pace() -> None:
    estimator = experienced(60)
    slow = [ticket(asked(60), compute_s=2 * DEVICE_S[60] * part, progress=part) for part in (0.0, 0.1, 0.2, 0.3, 0.9)]
    left = [estimator.remaining_s(each) or 0.0 for each in slow]
    assert all(after < 1.1 * before for before, after in pairwise(left))
    assert left[-1] == pytest.approx(2 * DEVICE_S[60] * 0.1, rel=0.1)


def test_requests_that_share_the_device_slow_each_other_down_until_the_shorter_ends() -> None:
    assert completion_times([2.0, 5.0], [], 2) == [4.0, 7.0]


def test_with_one_row_each_request_waits_for_all_before_it() -> None:
    assert completion_times([2.0], [3.0, 1.0], 1) == [2.0, 5.0, 6.0]


def test_a_waiting_request_starts_when_the_first_is_done_and_shares_with_the_others() -> None:
    assert completion_times([2.0, 5.0], [3.0], 2) == [4.0, 10.0, 10.0]


def test_a_free_row_is_used_at_once() -> None:
    assert completion_times([4.0], [4.0, 4.0], 4) == [12.0, 12.0, 12.0]


def test_after_a_request_without_estimate_no_estimate_is_known() -> None:
    assert completion_times([None], [1.0], 1) == [None, None]
    assert completion_times([None, 1.0], [1.0], 2) == [None, 2.0, 4.0]
