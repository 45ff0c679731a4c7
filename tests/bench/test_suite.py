"""One command runs engines and draws the results; another counts the listeners that a studio carries."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench import floor, report
from bench.__main__ import main
from bench.lines import text
from bench.load import measure
from bench.load.measure import Crowd, attend, find_largest, hear, max_carried
from bench.load.pairs import Pair, line, named
from bench.machine import ROOT
from engines.s1.config import CodecConfig
from tests.waiting import outcome

SECOND = bytes(measure.BYTES_S)  # of silence


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a tiny run."""
    folder = tmp_path_factory.mktemp("bench")
    given = ["--tiny", "--device", "cpu", "--compile", "off", "--batch", "2", "--out", str(folder), "--commit", "this"]
    main(given)
    return folder


@pytest.mark.long
def test_a_run_stores_every_line_with_the_device_and_the_program(written: Path) -> None:
    found = json.loads((written / "results.json").read_text())
    assert found["machine"]["commit"] == "this"
    assert found["versions"]["f5-tts"] and found["calibration"][0]["gflop_s"] > 0
    names = [each["name"] for each in found["configurations"]]
    assert names == ["f5 eager, 2 × 1 word", "s1 eager, 2 × 1 word"]
    kept = Counter((sample["configuration"], sample["round"]) for sample in found["samples"])
    assert kept == {(name, number): 2 for name in names for number in (0, 1)}
    assert all(0 < each["ttfa_s"] <= each["total_s"] <= each["wall_s"] + 0.01 for each in found["samples"])


@pytest.mark.long
def test_configurations_take_turns(written: Path) -> None:
    samples = json.loads((written / "results.json").read_text())["samples"]
    spoke = [(each["round"], each["configuration"][:2]) for each in samples[::2]]
    assert spoke == [(0, "s1"), (0, "f5"), (1, "f5"), (1, "s1")]


@pytest.mark.long
def test_the_report_shows_the_results(written: Path) -> None:
    found = json.loads((written / "results.json").read_text())
    page = (written / "report.html").read_text("utf-8")
    assert page == report.page(found)
    for title in ("Latency", "First sound", "RTF", "Throughput", "Memory", "Distance to the floor"):
        assert f"<h2>{title}</h2>" in page
    name = found["configurations"][0]["name"]
    firsts = [1000 * each["ttfa_s"] for each in found["samples"] if each["configuration"] == name]
    assert f"P50 {report.number(float(np.median(firsts)))} ·" in page


@pytest.mark.long
def test_the_report_is_a_single_file(written: Path) -> None:
    page = (written / "report.html").read_text("utf-8")
    assert not re.search(r"<script|<link|src=|href=|url\(|@import|https?:", page)


def test_a_report_escapes_its_inputs() -> None:
    page = report.page({"machine": {"commit": "<script>"}, "rows": [], "largest": {}})
    assert "<script>" not in page and "&lt;script&gt;" in page


def test_figures_of_known_samples_are_right() -> None:
    known = {"floor": {"read_s": 0.05, "compute_s": 0.1}}
    lines = [
        {"round": number, "wall_s": 0.2, "total_s": number / 100, "ttfa_s": 0.01, "rtf": 0.5, "audio_s": 2.0}
        | {"memory_bytes": 3_000_000}
        for number in range(101)
    ]
    figures = report.summary(known, lines)
    assert (figures["latency_p50"], figures["latency_p95"]) == (pytest.approx(500), pytest.approx(950))
    assert (figures["first_p95"], figures["rtf"], figures["held"]) == (pytest.approx(10), 0.5, 3.0)
    assert (figures["sound"], figures["floors"]) == (pytest.approx(10), pytest.approx(2))


def test_lines_of_one_round_share_its_time() -> None:
    known = {"floor": {"read_s": 1.0, "compute_s": 0.1}}
    line = {"round": 0, "wall_s": 2.0, "total_s": 2.0, "ttfa_s": 1.0, "rtf": 0.5, "audio_s": 3.0, "memory_bytes": 1}
    assert report.summary(known, [line, line])["sound"] == 3.0


def test_the_floor_counts_each_weight_once_a_step() -> None:
    folder = ROOT / "assets" / "voices" / "f5" / "checkpoint"
    alone, many = (floor.f5_work(folder, {"steps": 7, "guidance": 0}, 4, rows, (5, 5)) for rows in (1, 8))
    assert alone.read_bytes == many.read_bytes and many.flops == 8 * alone.flops
    layers = 12 * (4 * 256 * 256 + 2 * 2 * 256 * 256)  # attention and feed-forward
    assert 7 * 4 * layers < alone.read_bytes < 7 * 4 * layers * 1.2


def test_the_codec_is_counted_as_torch_counts_it() -> None:
    assert floor.codec_flops(CodecConfig()) == 6_432_620_544  # the result of torch.utils.flop_counter for the decoder


@pytest.mark.parametrize(("most", "last"), [(0.0, 1.0), (9.9, 10), (10, 10), (101, 150), (0.013, 0.015)])
def test_an_axis_ends_at_a_round_number_above_all_values(most: float, last: float) -> None:
    assert report.ticks(most)[-1] == pytest.approx(last)


def test_lines_differ_from_each_other() -> None:
    asked = [line(number) for number in range(2000)]
    assert len(set(asked)) == 2000 and asked[0].startswith("The bridge is out")
    assert all(len(text(seed, 30).split()) == 30 for seed in (0, 700))


def test_a_poisson_crowd_arrives_one_after_another_and_a_burst_at_once() -> None:
    moments = Crowd(listeners=400, lines=1, arrival="poisson", over_s=10).moments
    assert moments == sorted(moments) and 8 < moments[-1] < 12
    gaps = np.diff(moments)
    assert np.std(gaps) == pytest.approx(np.mean(gaps), rel=0.2)
    assert Crowd(listeners=3, lines=1).moments == [0, 0, 0]


class Timed:
    """A client whose parts arrive at known times."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *arrivals: float) -> None:
        self.now, self.arrivals = 0.0, arrivals
        monkeypatch.setattr(measure.time, "monotonic", lambda: self.now)

    async def speak(self, pair: Pair, seed: int) -> AsyncIterator[bytes]:
        for now in self.arrivals:
            self.now = now
            yield SECOND


def test_a_line_stalls_for_as_long_as_its_next_second_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = outcome(hear(Timed(monkeypatch, 0.5, 1.0, 4.0, 5.0), Pair(""), 0))
    assert (heard.first_s, heard.latency_s, heard.audio_s) == (0.5, 5.0, 4.0)
    assert heard.dry_s == pytest.approx(1.5)


class Narrow:
    """A client with room for a number of simultaneous lines."""

    def __init__(self, room: int) -> None:
        self.room, self.inside, self.asked = room, 0, list[str]()

    async def speak(self, pair: Pair, seed: int) -> AsyncIterator[bytes]:
        self.asked.append(pair.line)
        self.inside += 1
        for _ in range(3):  # until all simultaneous lines have started
            await asyncio.sleep(0)
        full = self.inside > self.room
        await asyncio.sleep(0)
        self.inside -= 1
        if full:
            raise ConnectionError("429: the queue is full")
        yield SECOND


def largest_at(door: Narrow, most: int) -> int:
    pairs = named(["amber"])

    async def carries(listeners: int) -> bool:
        return (await attend(door, pairs, Crowd(listeners=listeners, lines=listeners))).carried(float("inf"))

    return outcome(find_largest(carries, most))


@pytest.mark.parametrize("room", [0, 1, 5, 13])
def test_the_largest_crowd_that_a_client_carries_is_found(room: int) -> None:
    door = Narrow(room)
    assert largest_at(door, 100) == room
    assert len(set(door.asked)) == len(door.asked)


def test_no_more_listeners_are_tried_than_asked_for() -> None:
    assert largest_at(Narrow(1000), 40) == 40


def test_a_crowd_is_not_carried_past_one_that_was_not() -> None:
    assert max_carried({8: True, 16: False, 24: True, 32: False}) == 8
    assert max_carried({8: False}) == 0 and max_carried({4: True, 8: True}) == 8


def test_a_late_first_sound_a_stall_or_a_refusal_is_not_carried() -> None:
    def row(*failures: str, **changed: Any) -> measure.Row:
        heard = measure.Heard(**{"first_s": 0.2, "latency_s": 1.0, "audio_s": 2.0, "dry_s": 0.0} | changed)
        return measure.Row(crowd=Crowd(listeners=1, lines=1), wall_s=1.0, heard=[heard], failures=failures)

    assert row().carried(0.25) and not row("429").carried(0.25)
    assert not row(first_s=0.3).carried(0.25) and not row(dry_s=0.1).carried(0.25)
    assert row(dry_s=0.1).figures()["stalled"] == 1
