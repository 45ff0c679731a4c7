"""Both engines at full size in one process: they speak together, with other weights, and recover from errors."""

import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from bench.checkpoints import SYMBOLS, redraw
from bench.f5 import ARCH
from engines.codec_lm import plan as planning
from engines.codec_lm.batch import CodecLmBatch
from engines.codec_lm.frames import PACKETS
from engines.codec_lm.packet_queue import ArrivedPacket
from engines.errors import Cancelled, OutOfMemory
from engines.f5.config import DiTConfig
from engines.f5.network import DiT
from engines.types import Weights
from tests.gpu.house import ENGINES, LINE, House, finish, relative, running, sounds, until_ended

LONG = " ".join([LINE] * 3)
BALLAST_BYTES = [1 << power for power in range(30, 17, -1)]
ROW_BYTES = 147e6  # of S1-Mini's keys and values
NEAR = 0.05  # relative difference of audio by kernels that round differently


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop speech of random weights, which does not end by itself, sooner than that of trained ones."""
    monkeypatch.setattr(planning, "ROOM_S", 0.5)
    monkeypatch.setattr(planning, "SLOWEST_CHARACTERS_PER_S", 12.0)


@pytest.fixture(scope="session")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> list[Weights]:
    """Provide two sets of weights for F5 v1 Base, as vetting writes them."""
    return [weights(tmp_path_factory.mktemp("tuned") / f"{seed}.safetensors", seed) for seed in (1, 2)]


def weights(path: Path, seed: int) -> Weights:
    network = redraw(DiT(DiTConfig.from_mapping(ARCH, len(SYMBOLS))).cuda(), seed, "cuda")
    save_file({name: value.detach().half().cpu() for name, value in network.named_parameters()}, path)
    with path.open("rb") as file:
        return Weights(str(path), hashlib.file_digest(file, "sha256").hexdigest(), f"champion {seed}")


@pytest.mark.parametrize("engine", ENGINES)
def test_it_speaks(house: House, engine: str) -> None:
    assert sounds(house.say(engine))


def test_during_warm_up_it_speaks_like_later(house: House) -> None:
    later = house.say("f5").audio.samples
    assert {take.request.engine for take in house.early} == set(ENGINES)
    assert all(sounds(take) for take in house.early)
    assert all(relative(take.audio.samples, later) < NEAR for take in house.early if take.request.engine == "f5")


@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_seed_gives_the_same_take(house: House, engine: str) -> None:
    one, other = house.say(engine), house.say(engine)
    assert np.array_equal(one.audio.samples, other.audio.samples)


def test_the_first_audio_of_a_single_line_does_not_wait_for_its_later_frames(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []
    deliver = CodecLmBatch._deliver

    def noted(batch: CodecLmBatch, arrived: ArrivedPacket) -> None:
        drawn.append(len(arrived.sound.frames))
        deliver(batch, arrived)

    monkeypatch.setattr(CodecLmBatch, "_deliver", noted)
    house.say("s1")
    assert drawn[0] <= PACKETS[0] + 3  # two are in flight when the packet starts


def test_it_reports_its_memory_and_whether_it_is_compiled(house: House) -> None:
    for name, least_gb in (("f5", 0.6), ("s1", 2.0)):
        status = house.manager.status(name)
        assert status.info is not None and status.memory_bytes > least_gb * 1e9
        assert status.info.device == "cuda:0"
    assert len({status.info.compiled for status in house.manager.statuses() if status.info}) == 1


def test_both_speak_at_once_like_alone(house: House) -> None:
    alone = house.say("f5")
    tickets = [
        house.start(engine, session_id=session_id) for engine in ENGINES for session_id in ("ann", "ben", "cleo")
    ]
    takes = finish(*tickets)
    assert all(sounds(take) for take in takes)
    for take in takes[:3]:
        assert relative(take.audio.samples, alone.audio.samples) < NEAR


def test_the_largest_number_of_lines_speaks_at_once_and_allocates_memory_on_use(house: House) -> None:
    before = house.manager.status("s1")
    assert before.info is not None
    assert before.info.rows == 32
    waves = [[house.start("s1", seed=8 * wave + seed, session_id=str(seed)) for seed in range(8)] for wave in range(4)]
    lines = finish(*(ticket for wave in waves for ticket in wave))
    assert all(map(sounds, lines))
    most = max(event.figures["rows"] for event in house.events if event.kind == "stepped" and event.engine == "s1")
    assert most > 16
    assert house.manager.status("s1").memory_bytes - before.memory_bytes < 8 * ROW_BYTES  # a few rows stay allocated


@pytest.mark.parametrize("engine", ENGINES)
def test_two_visitors_are_in_one_batch(house: House, engine: str) -> None:
    house.events.clear()
    text = " ".join([LONG] * 4)  # the first take lasts until the last request is read
    takes = finish(
        *(house.start(engine, text, seed=seed) for seed in range(7)), house.start(engine, text, session_id="ben")
    )
    assert all(sounds(take) for take in takes)
    # The last row stays free for a third session if the second comes before the first has seven.
    most = max(event.figures["rows"] for event in house.events if event.kind == "stepped")
    assert most >= min(8, house.manager.status(engine).info.rows - 1)


def test_fine_tuned_weights_are_activated_and_the_base_is_restored(house: House, tuned: list[Weights]) -> None:
    base = house.say("f5")
    own = [house.say("f5", weights=each) for each in tuned]
    again = house.say("f5")
    assert np.array_equal(base.audio.samples, again.audio.samples)
    assert [take.checkpoint for take in own] == [each.label for each in tuned]
    assert min(relative(own[0].audio.samples, other.audio.samples) for other in (base, own[1])) > 0.5


def test_three_sets_of_weights_at_once_equal_single_ones(house: House, tuned: list[Weights]) -> None:
    sets = [None, *tuned]
    alone = [house.say("f5", weights=each) for each in sets]
    together = finish(*(house.start("f5", weights=each, session_id=str(number)) for number, each in enumerate(sets)))
    for found, wanted in zip(together, alone, strict=True):
        assert relative(found.audio.samples, wanted.audio.samples) < NEAR


@pytest.mark.parametrize("engine", ENGINES)
def test_a_stopped_take_does_not_affect_the_next_one(house: House, engine: str) -> None:
    before = house.say(engine)
    stopped = house.start(engine, LONG)
    while not stopped.has_audio and not stopped.ended:
        stopped.wait_unread(1.0)
    stopped.cancel()
    until_ended(stopped)
    assert isinstance(stopped.error, Cancelled)
    assert not house.manager.queue()
    assert np.array_equal(house.say(engine).audio.samples, before.audio.samples)


@contextmanager
def full_device() -> Iterator[None]:
    """Limit this process to its allocated memory, as if other programs used the rest."""
    torch.cuda.empty_cache()
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(torch.cuda.memory_reserved() / total)
    ballast = []
    for bytes in BALLAST_BYTES:
        with suppress(torch.OutOfMemoryError):
            while True:
                ballast.append(torch.empty(bytes, dtype=torch.uint8, device="cuda"))
    try:
        yield
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
        ballast.clear()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_full_device_ends_a_take_with_a_message_and_the_next_take_is_unaffected(
    house: House, engine: str, caplog: pytest.LogCaptureFixture
) -> None:
    before = house.say(engine)
    with full_device():
        until_ended(house.start(engine))  # idle fine-tuned weights are evicted first, which may free enough
    with full_device(), caplog.at_level(logging.WARNING):
        tickets = [house.start(engine, LONG, seed=seed, session_id=str(seed)) for seed in range(8)]
        until_ended(*tickets)
    errors = [ticket.error for ticket in tickets if ticket.error is not None]
    short = [record for record in caplog.records if "ran out of memory" in record.message]
    assert errors or short, "the device was not full"
    assert all(isinstance(error, OutOfMemory) and "too little memory" in str(error) for error in errors), errors
    assert house.manager.status(engine).state == "ready"
    assert relative(house.say(engine).audio.samples, before.audio.samples) < NEAR


def test_quantised_weights_take_less_memory_and_speak(full: dict[str, Path], tmp_path: Path) -> None:
    held = {}
    for kind in ("none", "int8", "int4"):
        with running(tmp_path, engines=("s1",), s1_checkpoint=str(full["s1"]), quantize=kind) as house:
            assert sounds(house.say("s1"))
            held[kind] = house.manager.status("s1").memory_bytes
    assert held["int4"] < held["int8"] < 0.9 * held["none"]
