"""Both embedded engines load and speak on the named card, for every form of the name."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from engines.base import Checkpoint, EngineJob
from engines.f5.mel import log_mel
from engines.registry import EngineOptions
from engines.s1.engine import make_engine
from engines.types import Request, Take
from tests.gpu.house import ENGINES, LINE, amber, opened, running

ROOT = Path(__file__).parents[2]
CARDS = torch.cuda.device_count()
SECOND = pytest.mark.skipif(CARDS == 1, reason="needs a second CUDA device")
NAMES = ["auto", "cuda", "cuda:0"]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@SECOND
def test_the_second_card_alone_is_used_and_shown(cache: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.gpu.second_card", str(cache)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["contexts"] == [False, True]
    assert 0.5 < found["shown_bytes"] / found["taken_bytes"] < 1.5
    assert found["engines"] == ["cuda:1", "cuda:1"]


@pytest.fixture(scope="module")
def on_cpu(cache: Path) -> dict[str, Take]:
    with running(cache, device="cpu", threads=4, cpu_precision="float32") as house:
        return {name: house.say(name) for name in ENGINES}


@pytest.mark.parametrize("name", NAMES)
def test_both_embedded_engines_speak_like_on_the_cpu(
    name: str, cache: Path, on_cpu: dict[str, Take], keep: Callable[[str, Take], None]
) -> None:
    with running(cache, device=name) as house:
        for engine in ENGINES:
            info = house.manager.status(engine).info
            assert info is not None and (info.device, info.compiled) == ("cuda:0", True), info
            take = house.say(engine)
            keep(f"{engine}-{name.replace(':', '')}", take)
            assert_alike(take, on_cpu[engine])


def test_uncompiled_engines_speak_like_on_the_cpu(cache: Path, on_cpu: dict[str, Take]) -> None:
    with running(cache, device="cuda", compile="off") as house:
        for engine in ENGINES:
            assert_alike(house.say(engine), on_cpu[engine])


def test_int8_engines_speak_like_on_the_cpu(
    cache: Path, on_cpu: dict[str, Take], keep: Callable[[str, Take], None]
) -> None:
    with running(cache, device="cuda", engines=("s1",), quantize="int8") as house:
        take = house.say("s1")
        keep("s1-int8", take)
        assert_alike(take, on_cpu["s1"])


def test_int4_is_refused_because_the_embedded_layers_are_too_narrow(cache: Path) -> None:
    with opened(cache, device="cuda", engines=("s1",), quantize="int4") as house:
        status = house.manager.status("s1")
        assert status.state == "failed" and "too narrow for int4; use int8 or none" in status.message


@torch.inference_mode()
def test_a_line_of_a_cached_voice_joins_without_waiting_for_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = make_engine(EngineOptions(name="cuda", compile="off"))
    for _ in engine.load(Checkpoint("embedded")):
        pass
    for name in ("first", "next"):
        engine.admit(EngineJob(name, Request(text=LINE, reference=amber(), seed=7, engine="s1")))
    engine.runtime.references.collect(wait_max_s=60.0)
    first, following = engine.runtime.batch.requests.values()
    engine.runtime.batch.rows.add(first)
    engine.runtime.decoder.state.finish_warmup()
    monkeypatch.setattr(torch.cuda, "synchronize", lambda *_: pytest.fail("it waited for the device"))
    torch.cuda.set_sync_debug_mode("error")
    try:
        engine.runtime.batch.rows.add(following)
        engine.runtime.batch.rows.read()
    finally:
        torch.cuda.set_sync_debug_mode("default")
        monkeypatch.undo()
    engine.close()


def test_a_missing_card_is_refused_with_a_message(cache: Path) -> None:
    with opened(cache, device=f"cuda:{CARDS}") as house:
        for status in house.manager.statuses():
            assert status.state == "failed" and f"cuda:{CARDS}: this machine has no such device" in status.message


def assert_alike(take: Take, wanted: Take) -> None:
    """Check that F5 gives nearly equal audio for equal noise; with S1, rounding may choose other codes of the same words."""
    if take.request.engine == "f5":
        ours, theirs = (log_mel(torch.from_numpy(each.audio.samples)) for each in (take, wanted))
        assert ours.shape == theirs.shape
        assert ((ours - theirs).norm() / theirs.norm()).item() < 0.05
        return
    assert 0.7 < take.audio.duration_s / wanted.audio.duration_s < 1.4
    levels = [20 * np.log10(np.sqrt(np.mean(np.square(each.audio.samples)))) for each in (take, wanted)]
    assert abs(levels[0] - levels[1]) < 3
