"""Sound that is heard while it is made: at once where the machine is fast enough, without stutters where it is not."""

import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from app import GRADIO_FOLDER, web
from engines.f5.engine import F5Engine
from studio.composition import compose
from studio.settings import Settings
from studio.ui.assets import ROOT
from studio.web.drain import Drain
from tests.browser.serving import Served
from tests.browser.visiting import SOME, visiting
from tests.studio.house import served

SLOW_STEP_S = 3.0  # of the engine: far more than a real one takes, so that every machine is too slow

# Plays bursts of [at_s, length_s] on a clock of its own; returns when sound began, and began again after running dry.
REHEARSE = """
async ([assets, bursts]) => {
  const { Buffering } = await import(`${assets}/js/audio/buffering.js`);
  let now = 0;
  const buffering = new Buffering(() => now);
  const [end, total] = [bursts.at(-1)[0], bursts.reduce((sum, [, length]) => sum + length, 0)];
  let [made, heard, sounds] = [0, 0, false];
  const began = [];
  for (let tick = 0; heard < total - 1e-6; tick += 1) {
    now = tick / 100;
    const ended = now >= end;
    if (!ended && tick % 10 === 0) buffering.update({ progress: now / end, eta_s: null });
    while (bursts.length && bursts[0][0] <= now) buffering.received((made += bursts.shift()[1]));
    if (sounds) heard = Math.min(made, heard + 0.01);
    if (sounds && heard === made && !ended) {
      buffering.dry += 1;
      sounds = false;
    } else if (!sounds && made > heard && (ended || buffering.wait_s(made - heard) === 0)) {
      sounds = true;
      began.push(now);
    }
  }
  return began;
}
"""
Bursts = list[list[float]]


def evenly(first_s: float, gap_s: float, length_s: float, count: int) -> Bursts:
    return [[first_s + place * gap_s, length_s] for place in range(count)]


@pytest.fixture(scope="module")
def stage(browser: Browser, speech_studio: Served) -> Iterator[Page]:
    """One page for every rehearsal: they leave nothing on it."""
    with visiting(browser, speech_studio) as visitor:
        visitor.open()
        yield visitor.page


def rehearse(stage: Page, bursts: Bursts) -> list[float]:
    began: list[float] = stage.evaluate(REHEARSE, [ROOT, bursts])
    return began


@pytest.mark.parametrize("bursts", [evenly(0.5, 1.0, 4.0, 6), evenly(0.15, 0.02, 0.1, 80), evenly(0.4, 0.3, 0.5, 40)])
def test_on_a_fast_machine_the_first_burst_sounds_at_once(stage: Page, bursts: Bursts) -> None:
    assert rehearse(stage, bursts) == [pytest.approx(bursts[0][0], abs=0.05)]


@pytest.mark.parametrize("rate", [0.2, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("length_s", [0.2, 2.0, 5.0])
def test_on_a_slow_machine_playback_starts_only_when_it_can_continue_without_a_gap(
    stage: Page, rate: float, length_s: float
) -> None:
    bursts = evenly(length_s / rate, length_s / rate, length_s, round(30 / length_s))
    [began] = rehearse(stage, bursts)
    assert began < bursts[-1][0]  # yet before all of it is made


def test_a_machine_that_becomes_slow_midway_causes_few_long_pauses_and_no_stutter(stage: Page) -> None:
    fast = evenly(0.3, 0.3, 0.4, 10)
    began = rehearse(stage, fast + evenly(4.0, 1.0, 0.3, 60))
    assert len(began) <= 3
    assert all(after - before > 1.5 for before, after in itertools.pairwise(began))


def holes(heard: list[dict[str, Any]]) -> list[float]:
    """Seconds of silence between pieces that belong together."""
    pairs = itertools.pairwise(heard)
    gaps = [after["when"] - before["when"] - before["length"] / before["rate"] for before, after in pairs]
    return [gap for gap in gaps if gap > 0.001]


@pytest.mark.long
def test_a_take_made_slower_than_real_time_buffers_visibly_and_then_sounds_with_few_holes(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = F5Engine.step
    monkeypatch.setattr(F5Engine, "step", lambda *call: (time.sleep(SLOW_STEP_S), step(*call))[1])
    monkeypatch.setenv(GRADIO_FOLDER, str(tmp_path / "gradio"))
    studio = compose(Settings(data_dir=tmp_path, device="cpu", engines=("f5",)))
    with served(web(studio, Drain())) as url, visiting(browser, SimpleNamespace(url=url)) as visitor:
        visitor.open()
        visitor.hurry()
        visitor.write(SOME)
        visitor.speak()
        expect(visitor.page.locator(".being-made .facts")).to_contain_text("buffering")
        assert visitor.heard() == []
        visitor.wait_for_takes(1)
        [take], heard = visitor.takes(), visitor.heard()
        assert take["cost"]["rtf"] > 1
        assert len(heard) > 1
        assert len(holes(heard)) <= 3  # one more each time the machine itself becomes slower than foretold
        assert sum(piece["length"] for piece in heard) == round(take["duration_s"] * take["sample_rate"])
    studio.manager.close(5.0)
