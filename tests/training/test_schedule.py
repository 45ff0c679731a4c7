"""The learning rate over a training."""

import pytest

from training.schedule import WARM_STEPS, TrainingSchedule


def test_the_rate_falls_in_a_straight_line_from_where_it_is_no_longer_held() -> None:
    schedule = TrainingSchedule(minutes=5, total=5, done=0, held=0.2)
    rates = [schedule.rate(share, WARM_STEPS) for share in (0.0, 0.2, 0.6, 1.0)]
    assert rates == pytest.approx([1.0, 1.0, 0.5, 0.0])
