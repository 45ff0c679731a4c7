"""The steps of a batch: when segments start, and when their audio is delivered."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from engines.base import EngineJob, Spoke
from engines.errors import OutOfMemory
from engines.f5 import batch
from engines.f5.engine import F5Engine
from engines.runtime.transfers import AsyncHostCopy
from tests.engines.f5.tuning import Listener, checkpoint, job, loaded, say

TEXT = "some words to be said by somebody who reads slowly. " * 10
STEPS = 4


class Underway(AsyncHostCopy):
    """A host copy that never ends unless it is waited for, as on a busy device."""

    waited = 0

    @property
    def ready(self) -> bool:
        return False

    def value(self) -> Tensor:
        Underway.waited += 1
        return super().value()


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> F5Engine:
    return loaded(checkpoint(Path(tmp_path_factory.mktemp("f5")) / "base", seed=0))


@pytest.fixture
def together(engine: F5Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[F5Engine]:
    """Generates several segments of a request at once, as on a GPU."""
    monkeypatch.setattr(engine.batch, "rows_each", 4)
    monkeypatch.setattr(batch, "AsyncHostCopy", Underway)
    yield engine


def asked(*, live: bool) -> EngineJob:
    plain = job("long", text=TEXT, steps=STEPS)
    return replace(plain, request=replace(plain.request, live=live))


def rows_by_step(engine: F5Engine, wanted: EngineJob) -> tuple[list[int], list[int], Listener]:
    """Return, for each step, the rows after it and the segments that it delivered."""
    listener, rows, spoken = Listener(engine), [], []
    engine.admit(wanted)
    active = engine.batch.requests[wanted.id]
    while wanted.id not in listener.ended:
        spoken.append(sum(isinstance(event, Spoke) for event in listener.step()))
        rows.append(len(active.rows))
    return rows, spoken, listener


def test_one_segment_starts_per_step_and_is_delivered_one_step_after_its_last(together: F5Engine) -> None:
    rows, spoken, _ = rows_by_step(together, asked(live=False))
    assert rows == [1, 2, 3, 2, 1, 0]  # each segment takes four steps
    assert spoken == [0, 0, 0, 0, 1, 2]  # no step follows the last one, so its audio is waited for at once


def test_a_live_request_starts_with_a_short_segment_generated_alone(together: F5Engine) -> None:
    rows, spoken, listener = rows_by_step(together, asked(live=True))
    assert rows[: STEPS - 1] == [1] * (STEPS - 1)
    assert spoken.index(1) == STEPS  # the step after its last step, which is the first step of the next segment
    assert rows[STEPS] == 1
    assert len(listener.heard["long"][0]) < len(listener.heard["long"][1])


def test_segments_generated_one_by_one_give_the_same_audio(together: F5Engine, engine: F5Engine) -> None:
    several = rows_by_step(together, asked(live=False))[2].audio("long")
    engine.batch.rows_each = 1
    single = rows_by_step(engine, asked(live=False))[2].audio("long")
    assert several.shape == single.shape
    assert np.abs(several - single).max() < 1e-4


def test_no_copy_is_waited_for_while_there_are_steps(together: F5Engine) -> None:
    together.admit(asked(live=False))
    listener, waited = Listener(together), Underway.waited
    for _ in range(STEPS):
        listener.step()
    assert "long" not in listener.heard
    assert Underway.waited == waited
    listener.finish(asked(live=False))
    assert Underway.waited == waited + 3


def test_a_leading_pause_does_not_start_the_second_segment_early(together: F5Engine) -> None:
    wanted = asked(live=True)
    wanted = replace(wanted, request=replace(wanted.request, text=f"[pause:500ms] {TEXT}"))
    rows, _, _ = rows_by_step(together, wanted)
    assert rows[: STEPS + 1] == [0, *[1] * (STEPS - 1), 0]


def test_a_request_that_yields_between_segments_gives_the_same_audio(together: F5Engine) -> None:
    wanted, listener = rows_by_step(together, asked(live=False))[2].audio("long"), Listener(together)
    together.admit(asked(live=False))
    listener.step()
    while "long" not in together.between_segments:
        listener.step(yielding={"long"})
    assert len(listener.heard["long"]) == 1  # the segment in progress
    together.admit(job("short"))
    while "short" not in listener.ended:
        listener.step(held={"long"})
    listener.finish(asked(live=False))
    assert np.abs(listener.audio("long") - wanted).max() < 1e-4


def test_the_language_decides_how_numbers_are_read(engine: F5Engine) -> None:
    request = asked(live=False).request
    german = replace(request.reference, transcript="Es ist 3 Uhr.", language="de")
    plan = engine.prepare(replace(request, text="Noch 2 Tage", language="de", reference=german))
    assert [piece.text.casefold() for piece in plan.pieces] == ["noch zwei tage"]
    assert plan.reference.transcript.casefold() == "es ist drei uhr. "
    assert german.digest != replace(german, language="en").digest


def test_held_requests_leave_their_rows_to_others(together: F5Engine) -> None:
    listener = Listener(together)
    together.admit(asked(live=False))
    for _ in range(3):
        listener.step()
    together.admit(job("short"))
    while "short" not in listener.ended:
        listener.step(held={"long"})
    together.admit(replace(asked(live=False), id="more"))
    for _ in range(2):
        listener.step(held={"long"})
    listener.finish(asked(live=False), replace(asked(live=False), id="more"))  # five rows, four of which fit
    assert np.abs(listener.audio("more") - listener.audio("long")).max() < 1e-4


def test_finished_audio_is_delivered_before_out_of_memory_is_raised(
    together: F5Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener = Listener(together)
    together.admit(job("one", steps=STEPS))
    listener.step()
    together.admit(job("other", steps=STEPS))
    for _ in range(STEPS - 1):
        listener.step()
    assert together.batch.requests["one"].arriving

    def full(rows: object) -> None:
        raise torch.OutOfMemoryError

    with monkeypatch.context() as patched:
        patched.setattr(together.batch._flow, "advance", full)
        listener.step()
        assert "one" in listener.ended
        with pytest.raises(OutOfMemory):
            listener.step()
    listener.finish(job("other"))


def test_a_step_ends_early_only_if_all_its_requests_are_cancelled(engine: F5Engine) -> None:
    wanted = say(engine, text="some words", steps=STEPS)
    blocks, cancelled, passes = engine.model.network.transformer_blocks, ["gone"], [0]

    def cancel(*_: object) -> None:
        for id in cancelled:
            engine.interrupt(id)

    def count(*_: object) -> None:
        passes[0] += 1

    hooks = blocks[0].register_forward_hook(cancel), blocks[-1].register_forward_hook(count)
    listener = Listener(engine)
    for id in ("kept", "gone"):
        engine.admit(job(id, text="some words", steps=STEPS))
    listener.step()
    assert passes == [1]
    cancelled.append("kept")
    assert listener.step() == []
    assert passes == [1]
    for hook in hooks:
        hook.remove()
    engine.drop("gone")
    engine.batch.requests["kept"].cancelled = False
    while "kept" not in listener.ended:
        listener.step()
    assert np.abs(listener.audio("kept") - wanted).max() < 1e-4
