"""Managers with metronomes, closed after each test."""

from collections.abc import Iterator

import pytest

from engines.scheduling.manager import Policy
from tests.engines.metronome import Clock, Metronome
from tests.engines.scheduling.house import House


@pytest.fixture
def houses() -> Iterator[object]:
    made: list[House] = []

    def build(policy: Policy | None = None, clock: Clock | None = None, **engines: Metronome) -> House:
        made.append(House(policy or Policy(), clock or Clock(), **(engines or {"tick": Metronome()})))
        return made[-1]

    yield build
    for house in made:
        house.manager.close(1.0)
