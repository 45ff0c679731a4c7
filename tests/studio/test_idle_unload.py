"""An engine without requests is unloaded after the chosen time, and loads again on the next request."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engines.errors import UnknownEngine
from engines.scheduling.manager import Policy
from studio.errors import NotStored
from studio.idle_unload import FILE, IdleUnload
from tests.engines.metronome import Metronome
from tests.engines.scheduling.house import House
from tests.waiting import PATIENCE_S, until


class Idle(House):
    """A manager with a clock that the test sets, and its idle unload."""

    def __init__(self, folder: Path, **engines: Metronome) -> None:
        self.now_s = 1_000.0
        self.queued: set[str] = set()
        super().__init__(Policy(request_timeout_s=1e6), lambda: self.now_s, **engines)
        self.idle = IdleUnload(self.manager, folder, lambda: self.queued, lambda: self.now_s)
        self.manager.listen(self.idle.record)

    def state(self, name: str = "tick") -> str:
        return self.manager.status(name).state

    def check(self) -> None:
        """Check, and wait until the scheduler has unloaded the engines that the check queued."""
        self.idle.check()
        for name, state in self.idle.states().items():
            if name in self.idle._asleep:
                until(lambda name=name: self.state(name) == "unloaded")
                assert state.left_s in (0.0, None)


@contextmanager
def idle_house(folder: Path, **engines: Metronome) -> Iterator[Idle]:
    house = Idle(folder, **engines)
    try:
        yield house
    finally:
        house.manager.close(5.0)


def test_an_engine_is_unloaded_after_the_chosen_time_and_not_before(tmp_path: Path) -> None:
    with idle_house(tmp_path, tick=Metronome(), tock=Metronome()) as house:
        house.idle.choose("tick", 300.0)
        house.check()
        house.now_s += 299.0
        house.check()
        assert house.state() == "ready" and house.idle.states()["tick"].left_s == 1.0
        house.now_s += 1.0
        house.check()
        assert (house.state(), house.state("tock")) == ("unloaded", "ready")
        assert (
            house.manager.status("tick").message == "unloaded after 5 min without a request; the next request loads it"
        )
        assert house.idle.states()["tick"].asleep and not house.idle.states()["tock"].asleep


def test_a_request_begins_the_time_again_and_loads_an_unloaded_engine(tmp_path: Path) -> None:
    tick = Metronome()
    with idle_house(tmp_path, tick=tick) as house:
        house.idle.choose("tick", 300.0)
        house.check()
        house.now_s += 299.0
        assert house.say("abc").wait(PATIENCE_S)
        house.now_s += 299.0
        house.check()
        assert house.state() == "ready"
        house.now_s += 1.0
        house.check()
        assert house.state() == "unloaded"
        assert house.say("abc").wait(PATIENCE_S) and tick.loads == 2
        until(lambda: house.state() == "ready")
        assert not house.idle.asleep("tick")
        house.manager.unload("tick")
        until(lambda: house.state() == "unloaded")
        assert not house.idle.asleep("tick"), "the owner unloaded the engine"


def test_an_engine_in_use_is_not_idle(tmp_path: Path) -> None:
    gate, tick = threading.Semaphore(0), Metronome()
    tick.gate = gate.acquire
    with idle_house(tmp_path, tick=tick) as house:
        house.idle.choose("tick", 300.0)
        ticket = house.say("abc")
        house.now_s += 1_000.0
        house.check()
        gate.release(99)
        assert ticket.wait(PATIENCE_S) and house.state() == "ready"
        house.queued.add("tick")
        house.now_s += 1_000.0
        house.check()
        assert house.state() == "ready"
        assert house.idle.states()["tick"].left_s is None
        house.queued.clear()
        assert house.idle.states()["tick"].left_s == 300.0


def test_the_idle_time_survives_a_restart_and_none_removes_it(tmp_path: Path) -> None:
    with idle_house(tmp_path, tick=Metronome(), tock=Metronome()) as house:
        house.idle.choose("tick", 300.0)
        house.idle.choose("tock", 60.0)
        again = IdleUnload(house.manager, tmp_path)
        assert {name: state.after_s for name, state in again.states().items()} == {"tick": 300.0, "tock": 60.0}
        again.choose("tick", None)
        assert json.loads((tmp_path / FILE).read_bytes()) == {"tock": 60.0}
        with pytest.raises(UnknownEngine):
            again.choose("whistle", 60.0)


def test_a_damaged_file_means_never_and_a_full_disk_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / FILE
    path.parent.mkdir()
    path.write_text("{")
    with idle_house(tmp_path, tick=Metronome()) as house:
        assert house.idle.states()["tick"].after_s is None
        monkeypatch.setattr("studio.idle_unload.atomic_write", _full)
        with pytest.raises(NotStored, match="could not be saved"):
            house.idle.choose("tick", 60.0)
        assert house.idle.states()["tick"].after_s is None


def _full(path: Path) -> None:
    raise OSError(28, "No space left on device")
