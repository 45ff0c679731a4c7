"""Fine-tuned weights of several champions in one engine: equal takes to separate engines, and no take waits for reading."""

import os
import threading
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
import torch

from engines.base import Advanced, Checkpoint
from engines.errors import BadCheckpoint
from engines.f5.engine import F5Engine
from engines.f5.weight_turns import SLICE
from engines.registry import EngineOptions
from engines.scheduling.manager import Manager, Policy
from engines.types import Weights
from tests.engines.f5.tuning import Listener, checkpoint, job, loaded, reference, say, weights
from tests.waiting import PATIENCE_S, until

LONG = "a much longer line that is to be said with many more words than the other one. " * 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tuned")


@pytest.fixture(scope="module")
def base(folder: Path) -> Checkpoint:
    return checkpoint(folder / "base", seed=0)


@pytest.fixture(scope="module")
def engine(base: Checkpoint) -> F5Engine:
    return loaded(base)


@pytest.fixture(scope="module")
def yasuo(folder: Path) -> Weights:
    return weights(folder, 1)


@pytest.fixture(scope="module")
def ahri(folder: Path) -> Weights:
    return weights(folder, 2, "ahri")


def test_a_take_equals_that_of_an_engine_loaded_with_the_weights(
    engine: F5Engine, base: Checkpoint, folder: Path, yasuo: Weights
) -> None:
    own = loaded(checkpoint(folder / "own", seed=1, vocoder_of=base))
    assert np.array_equal(say(engine, yasuo), say(own))


def test_the_base_speaks_as_before_after_a_change(base: Checkpoint, yasuo: Weights) -> None:
    engine = loaded(base)
    before, tuned, after = say(engine), say(engine, yasuo), say(engine)
    assert np.array_equal(before, after)
    shared = min(len(before), len(tuned))
    assert np.abs(before[:shared] - tuned[:shared]).max() > 1e-3


def test_jobs_with_three_sets_at_once_equal_single_jobs(engine: F5Engine, yasuo: Weights, ahri: Weights) -> None:
    sets = {"base": None, "yasuo": yasuo, "ahri": ahri}
    alone = {name: say(engine, own, steps=11) for name, own in sets.items()}
    listener = Listener(engine)
    jobs = [job(name, own, steps=11) for name, own in sets.items()]
    for each in jobs:
        engine.admit(each)
    listener.finish(*jobs)
    for name, wanted in alone.items():
        assert np.array_equal(listener.audio(name), wanted), name


def test_sets_take_turns_and_none_waits_longer_than_the_others_turns(
    engine: F5Engine, yasuo: Weights, ahri: Weights
) -> None:
    say(engine, yasuo), say(engine, ahri)
    listener, order = Listener(engine), []
    names = {"base": None, "yasuo": yasuo, "ahri": ahri}
    for name, own in names.items():
        engine.admit(job(name, own, LONG, steps=32))
    for _ in range(6 * SLICE):
        (moved,) = (event.job_id for event in listener.step() if isinstance(event, Advanced))
        order.append(moved)
    for name in names:
        engine.drop(name)
    assert max(len(list(run)) for _, run in groupby(order)) == SLICE
    assert all(set(order[start:][: 3 * SLICE]) == names.keys() for start in range(3 * SLICE))


def test_rows_of_one_set_move_together(engine: F5Engine, yasuo: Weights) -> None:
    say(engine, yasuo)
    listener = Listener(engine)
    engine.admit(job("one", yasuo, steps=7))
    engine.admit(job("two", yasuo, steps=7))
    moving = {event.job_id for event in listener.step() if isinstance(event, Advanced)}
    assert moving == {"one", "two"}
    listener.finish(job("one"), job("two"))


def test_cached_weights_are_not_read_again(base: Checkpoint, yasuo: Weights) -> None:
    engine = loaded(base)
    say(engine, yasuo), say(engine), say(engine, yasuo)
    figures = engine.figures
    assert (figures["weights_missed"], figures["weights_found"], figures["weights_placed"]) == (1, 1, 3)
    assert figures["weights_load_s"] > 0


def flipped(own: Weights, folder: Path) -> Weights:
    data = bytearray(Path(own.path).read_bytes())
    data[-5] ^= 1
    (folder / "flipped.safetensors").write_bytes(data)
    return replace(own, path=str(folder / "flipped.safetensors"), sha256="1" * 64)


def missing(own: Weights, folder: Path) -> Weights:
    return replace(own, path=str(folder / "nowhere"), sha256="2" * 64)


def foreign(own: Weights, folder: Path) -> Weights:
    return weights(folder, 1, "foreign", depth=2)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (flipped, "changed after the check"),
        (missing, "could not be read"),
        (foreign, "do not fit the architecture"),
    ],
)
def test_invalid_weights_end_only_their_job(
    engine: F5Engine, yasuo: Weights, tmp_path: Path, broken: object, words: str
) -> None:
    alone, listener = say(engine), Listener(engine)
    jobs = [job("broken", broken(yasuo, tmp_path)), job("broken too", broken(yasuo, tmp_path)), job("good")]  # type: ignore[operator]
    for each in jobs:
        engine.admit(each)
    listener.finish(*jobs)
    assert listener.refused.keys() == {"broken", "broken too"}
    for error in listener.refused.values():
        assert isinstance(error, BadCheckpoint) and words in str(error)
    assert np.array_equal(listener.audio("good"), alone)
    with pytest.raises(BadCheckpoint):
        say(engine, broken(yasuo, tmp_path))  # type: ignore[operator]


def test_other_requests_are_spoken_while_the_disk_is_slow(engine: F5Engine, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "slow")  # opening it waits for a writer
    slow = job("slow", Weights(str(tmp_path / "slow"), "3" * 64, "slow"))
    good, listener = job("good"), Listener(engine)
    engine.admit(slow)
    engine.admit(good)
    listener.finish(good)
    assert list(engine.waiting) == ["slow"] and "slow" not in listener.refused
    (tmp_path / "slow").write_bytes(b"nothing")
    until(lambda: not engine.waiting)
    listener.finish(slow)
    assert isinstance(listener.refused["slow"], BadCheckpoint)


def test_ten_base_champions_cost_one_base_and_small_references(base: Checkpoint) -> None:
    engine = loaded(base)
    say(engine)
    before, model = engine.memory_bytes, sum(p.nbytes for p in engine.model.network.parameters())
    for seed in range(2, 12):
        say(engine, voice=reference(seed))
    assert 0 < engine.memory_bytes - before < 10 * 60_000 < model / 2


def test_a_take_records_its_weights_and_the_cache_counts(base: Checkpoint, yasuo: Weights) -> None:
    manager = Manager({"f5": base}, EngineOptions(name="cpu", compile="off"), Policy())
    reported: list[object] = []
    done = threading.Event()
    manager.listen(lambda event: (reported.append(event), done.set()) if event.kind == "done" else None)
    manager.start()
    until(lambda: manager.status("f5").state == "ready")
    info, empty = manager.status("f5").info, manager.status("f5").memory_bytes
    ticket = manager.submit(job("", yasuo).request, session_id="ann")
    assert ticket.wait(PATIENCE_S) and done.wait(PATIENCE_S)
    assert ticket.result().checkpoint == f"yasuo ({yasuo.sha256[:12]})"
    assert reported[0].figures["weights_missed"] == 1  # type: ignore[attr-defined]
    assert info is not None
    model = info.parameters * getattr(torch, info.dtype).itemsize
    assert manager.status("f5").memory_bytes - empty > 1.9 * model, "the inactive sets are the base and the champion"
    manager.close(5.0)


def test_the_parts_of_memory_add_up_and_cleared_caches_are_free(base: Checkpoint, yasuo: Weights) -> None:
    engine = loaded(base)
    empty = engine.memory_parts
    wanted = say(engine)
    say(engine, yasuo)
    parts = engine.memory_parts
    assert sum(parts.values()) == engine.memory_bytes
    assert parts["champions"] > 0 == empty["champions"] and parts["caches"] > empty["caches"]
    references, weights = engine.caches
    assert (references.found, references.missed, references.entries) == (1, 1, 1)
    assert (weights.found, weights.missed, weights.entries) == (0, 1, 2)
    for cache in engine.caches:
        engine.clear(cache.name)
    assert [cache.entries for cache in engine.caches] == [0, 0]
    assert engine.memory_parts["champions"] == 0
    assert np.array_equal(say(engine), wanted)
