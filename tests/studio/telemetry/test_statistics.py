"""Percentiles over windows of time, also from records of earlier runs."""

from dataclasses import replace
from pathlib import Path

import pytest

from studio.telemetry.recorder import Recorder
from studio.telemetry.records import RequestRecord
from studio.telemetry.snapshot import Percentiles
from studio.telemetry.statistics import AHEAD_S, FRESH_S, WINDOWS_S, Statistics, WindowStatistics, compute_statistics
from tests.engines.metronome import Metronome
from tests.studio.house import ENGINE, studio_of
from tests.studio.telemetry.test_records import RECORDED, records, say
from tests.waiting import until

NOW = 1_000_000.0
NOTHING = Percentiles(None, None, None)


def record(age_s: float, total_s: float = 2.0, **changes: object) -> RequestRecord:
    """Return the record of a finished request. Its first audio is after `total_s` / 10, and its RTF is `total_s` / 4."""
    done = replace(RECORDED, at=NOW - age_s, total_s=total_s, first_audio_s=total_s / 10, compute_s=total_s)
    return replace(done, **changes)  # type: ignore[arg-type]


def by_window(records: list[RequestRecord], engine: str = "f5", **further: int) -> dict[float, WindowStatistics]:
    return {one.window_s: one for one in compute_statistics(records, [engine], NOW, **further)}


def done(records: list[RequestRecord]) -> list[int]:
    return [one.outcomes["done"] for one in compute_statistics(records, ["f5"], NOW)]


def test_percentiles_of_all_figures_are_interpolated() -> None:
    found = by_window([record(1.0, float(total_s)) for total_s in range(1, 102)])[120.0]
    assert found.total_s == Percentiles(51.0, 96.0, 100.0)
    assert found.first_audio_s == Percentiles(5.1, pytest.approx(9.6), 10.0)
    assert found.rtf == Percentiles(12.75, 24.0, 25.0)


def test_a_record_belongs_to_each_window_up_to_its_border() -> None:
    for place, window_s in enumerate(WINDOWS_S):
        longer = len(WINDOWS_S) - place
        assert done([record(window_s)]) == [0] * place + [1] * longer
        assert done([record(window_s + 0.001)]) == [0] * (place + 1) + [1] * (longer - 1)


def test_records_older_than_the_longest_window_do_not_count() -> None:
    assert by_window([record(86_401.0), record(90_000.0)])[86_400.0].total_s == NOTHING


def test_a_record_from_the_future_counts_unless_the_clock_was_set_back() -> None:
    assert done([record(-AHEAD_S)]) == [1, 1, 1]
    assert done([record(-AHEAD_S - 1)]) == [0, 0, 0]


def test_each_engine_has_only_its_own_requests_and_only_finished_ones_are_timed() -> None:
    mixed = [
        record(1.0, 2.0),
        record(1.0, 99.0, engine="s1"),
        record(1.0, 99.0, outcome="failed"),
        record(1.0, 99.0, outcome="cancelled"),
        record(1.0, 0.0, outcome="refused", first_audio_s=None, compute_s=None, audio_s=None),
    ]
    found = by_window(mixed)[120.0]
    assert found.total_s == Percentiles(2.0, 2.0, 2.0)
    assert found.outcomes == {"done": 1, "failed": 1, "cancelled": 1, "refused": 1}
    assert by_window(mixed, "whistle")[120.0].total_s == NOTHING


def test_a_window_whose_older_records_were_dropped_says_how_much_it_covers() -> None:
    few = [record(600.0), record(30.0)]
    assert by_window(few, kept_max=3)[86_400.0].covered_s == 86_400.0
    full = by_window(few, kept_max=2)
    assert [full[window_s].covered_s for window_s in WINDOWS_S] == [120.0, 600.0, 600.0]


def test_statistics_are_computed_again_after_a_new_record_or_some_seconds(tmp_path: Path) -> None:
    now = [NOW]
    recorder = Recorder(wall_clock=lambda: now[0])
    statistics = Statistics(recorder, lambda: now[0])
    first = statistics.all(["f5"])
    now[0] += FRESH_S / 2
    assert statistics.all(["f5"]) is first
    recorder._kept.append(record(0.0))
    second = statistics.all(["f5"])
    assert second[0].outcomes["done"] == 1
    now[0] += 121.0
    assert statistics.all(["f5"])[0].outcomes["done"] == 0


def test_statistics_survive_a_restart(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome(step_s=0.01)) as studio:
        until(lambda: studio.manager.status(ENGINE).state == "ready")
        assert say(studio, "tick tock").wait(60.0)
        records(studio, 1)
        before = studio.telemetry.statistics.all([ENGINE])
    with studio_of(tmp_path, Metronome()) as studio:
        records(studio, 1)
        after = studio.telemetry.statistics.all([ENGINE])
        assert studio.telemetry.snapshot().requests == 0
    assert after == before and after[0].total_s.p99 is not None
