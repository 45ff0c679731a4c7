"""The checks of takes run in the background, and one that fails does not stop the others."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engines.errors import EngineFailed
from engines.types import Audio
from studio.listening.sessions import take_checks
from studio.listening.sessions.take_checks import TakeChecks
from studio.listening.sessions.takes import SessionTakes
from tests.waiting import until

SOUND = Audio(np.ones(100, np.float32), 16_000)


@dataclass
class Takes:
    """Stands for the history, the ears and the session's takes."""

    stored: list[Any] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    on = True

    def add(self, id: str, heard: object = None) -> None:
        self.stored.append(SimpleNamespace(id=id, session_id="s", order=SimpleNamespace(text=id), heard=heard))

    def audio(self, session_id: str, id: str) -> Audio:
        return SOUND

    def ask(self, task: object, text: str, *sounds: object) -> dict[str, str]:
        if text == "refused":
            raise EngineFailed("the ears failed")
        if text == "broken":
            raise MemoryError
        return {"text": text}

    def reference(self, take: object) -> None:
        return None

    def keep_heard(self, session_id: str, id: str, heard: object) -> None:
        self.kept.append(id)


@pytest.fixture
def takes() -> Takes:
    return Takes()


@pytest.fixture
def checks(takes: Takes) -> Iterator[TakeChecks]:
    made: Any = takes
    checks = TakeChecks(made, made, made, lambda: takes.stored)
    yield checks
    checks.close()


def test_takes_are_checked_when_they_are_stored_and_only_once(takes: Takes, checks: TakeChecks) -> None:
    takes.add("earlier")
    takes.add("known", heard={})
    checks.start()
    until(lambda: takes.kept == ["earlier"])
    takes.add("later")
    checks.wake()
    until(lambda: takes.kept == ["earlier", "later"])


@pytest.mark.parametrize("kind", ["refused", "broken"])
def test_a_check_that_fails_does_not_stop_the_others(
    takes: Takes, checks: TakeChecks, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(take_checks, "RETRY_S", 0.0)
    takes.add(kind)
    takes.add("other")
    checks.start()
    until(lambda: takes.kept == ["other"])


@pytest.mark.parametrize("own", [True, False])
def test_a_take_with_a_built_in_voice_has_no_reference_to_be_compared_with(own: bool) -> None:
    speaking: Any = SimpleNamespace(
        uses_reference=lambda order: not own, reference=lambda order, session_id: SimpleNamespace(audio=SOUND)
    )
    history: Any = None
    take: Any = SimpleNamespace(order=None, session_id="s")
    assert SessionTakes(history, speaking).reference(take) is (None if own else SOUND)
