"""Whoever leaves, at whatever moment and however, holds the engine for the step it is in and no longer."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from studio.api.programs import Programs
from tests.faults.drops import begun, begun_socket
from tests.faults.raw import reset
from tests.studio import house
from tests.studio.programs import Reception, reception_of
from tests.waiting import until

ORDINARY, MANY = 30, 1_000


@pytest.fixture
def reception(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Reception, Programs]]:
    made: list[Programs] = []

    class Watched(Programs):
        def __init__(self, *given: object) -> None:
            super().__init__(*given)  # type: ignore[arg-type]
            made.append(self)

    monkeypatch.setattr(house, "Programs", Watched)
    with reception_of(tmp_path) as opened:
        yield opened, made[0]


@pytest.mark.parametrize("number", [ORDINARY, pytest.param(MANY, marks=pytest.mark.long)])
def test_a_dropped_row_makes_one_more_step_at_most(reception: tuple[Reception, Programs], number: int) -> None:
    opened, answers = reception
    draw = Random(number)
    for _ in range(number):
        assert steps_after_drop(opened, answers, draw) <= 1
    assert (opened.studio.manager.queue(), answers._streams, opened.metronome.jobs) == ([], set(), {})


def steps_after_drop(opened: Reception, answers: Programs, draw: Random) -> int:
    """The engine is held while somebody leaves; how many steps the row makes once it is let go."""
    made = draw.randrange(1, 6)
    opened.go.clear()
    opened.let_steps(made)
    connection = (begun_socket if draw.random() < 0.4 else begun)(opened.url, draw)
    until(opened.studio.manager.queue)
    if draw.random() < 0.5:
        until(lambda: opened.metronome.jobs)
    leave = draw.choice((reset, lambda left: left.close()))
    leave(connection)
    until(lambda: not answers._streams)
    before = len(opened.metronome.steps)
    opened.go.set()
    until(lambda: not opened.studio.manager.queue())
    return sum(map(bool, opened.metronome.steps[before:]))
