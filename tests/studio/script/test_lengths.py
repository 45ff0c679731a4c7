"""One length everywhere: that of the delivered file, silence at its edges included."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import soundfile

from engines.f5.spec import SPEC as F5
from engines.s1.spec import SPEC as S1
from studio.champions.library import Library
from studio.script.delivery import Preset
from studio.script.format.length_limit import missed
from studio.script.timing import fitted
from studio.studio import Studio
from tests.studio.champions.voices import keep
from tests.studio.house import ENGINE, served, web
from tests.studio.script.delivery.takes import delivered, line
from tests.studio.script.test_projects_api import ROOT, Work, ended
from tests.studio.script.test_timing import NATURAL_S, ORDER, take


@pytest.fixture
def client(studio: Studio) -> Iterator[httpx.Client]:
    with served(web(studio)) as address, httpx.Client(base_url=address) as client:
        yield client


@pytest.mark.parametrize("engine", [F5, S1])
@pytest.mark.parametrize(("head_ms", "tail_ms"), [(50.0, 100.0), (0.0, 0.0), (200.0, 300.0)])
@pytest.mark.parametrize("cell", ["=3.0", "=2.9", "2.9"])
def test_a_delivered_file_lasts_as_long_as_its_sheet_wants(
    cell: str, head_ms: float, tail_ms: float, engine: Any, tmp_path: Path
) -> None:
    making = fitted(ORDER, cell, engine.settings, (head_ms + tail_ms) / 1000)
    asked = next(making)
    while True:
        try:
            asked = making.send(take(asked, NATURAL_S / asked.settings.get("speed", 1.0)))
        except StopIteration as ended_by:
            kept = ended_by.value
            break
    preset = Preset(head_ms=head_ms, tail_ms=tail_ms, template="{id}", sidecars=(), handoffs=())
    report = delivered([line("L", audio=lambda: kept.audio, words=(), limit=cell)], tmp_path, preset)
    length_s = soundfile.info(tmp_path / "L.wav").duration
    wanted_s = float(cell.lstrip("="))
    assert length_s <= wanted_s + (0.05 if cell.startswith("=") else 0.005)
    assert length_s >= wanted_s - (0.05 if cell.startswith("=") else wanted_s / 10)
    assert not [flag for flag in report.files[0].flags if flag.kind == "length"]


def test_a_file_that_its_edges_make_too_long_is_flagged(tmp_path: Path) -> None:
    kept = take(ORDER, 2.4)
    preset = Preset(template="{id}", sidecars=(), handoffs=())
    report = delivered([line("L", audio=lambda: kept.audio, words=(), limit="2.5")], tmp_path, preset)
    (flag,) = [flag for flag in report.files[0].flags if flag.kind == "length"]
    assert flag.message == (
        "The file lasts 2.55 s with the silence at start and end, but should last at most 2.50 s; "
        "shorten the text or raise the length limit."
    )


def test_speech_that_fits_only_without_the_silence_at_its_edges_does_not_fit() -> None:
    assert missed("2.5", 2.4) == ""
    assert "2.55 s" in missed("2.5", 2.4 + 0.15)


def test_the_estimate_of_a_line_follows_the_rates_in_its_text(client: httpx.Client) -> None:
    work = Work(client, "Hold the gate until we are through.", "[rate:0.5]Hold the gate until we are through.[/rate]")
    usual_s, slow_s = (line["estimate_s"] for line in work.sheet()["lines"])
    assert slow_s == pytest.approx(2 * usual_s, rel=0.2)


def test_the_estimate_of_a_line_follows_the_pace_of_each_voice(client: httpx.Client, studio: Studio) -> None:
    library, words = Library(studio.settings.data_dir), "Hold the gate until we are through."
    keep(library, "bob", name="Bob", engine=ENGINE, settings={"speed": 0.5})
    work = Work(client, words, f"[voice:Bob]{words}[/voice]", f"{words} [voice:bob]{words}[/voice]")
    edge_s = 0.15
    usual_s, slow_s, both_s = (line["estimate_s"] - edge_s for line in work.sheet()["lines"])
    assert slow_s == pytest.approx(2 * usual_s, rel=0.2)
    assert both_s == pytest.approx(usual_s + slow_s, rel=0.02)


def test_the_page_shows_the_length_of_the_file_that_is_delivered(client: httpx.Client) -> None:
    work = Work(client, "one", "three")
    lines = work.render()["lines"]
    work.edit({"marks": [{"line": each["key"], "take": each["takes"][0]["id"], "mark": "select"} for each in lines]})
    assert lengths(work) == pytest.approx(file_lengths(work, {}), abs=0.011)

    edges = {"head_ms": 500, "tail_ms": 1000}
    before = lengths(work)
    work.patch({"delivery": {"preset": "game", "choices": edges}})
    assert lengths(work) == pytest.approx([length_s + 1.35 for length_s in before])
    assert lengths(work) == pytest.approx(file_lengths(work, edges), abs=0.011)


def test_another_silence_at_the_edges_makes_lines_stale_that_have_a_length_and_no_others(client: httpx.Client) -> None:
    work = Work(client, "one", "two", "three")
    work.edit({"roles": {"max_s": 3}})
    keys = [each["key"] for each in work.sheet()["lines"]]
    cells = zip(keys, ("", "99", "n/a"), strict=True)
    work.edit({"cells": [{"line": key, "column": 3, "value": value} for key, value in cells]})
    first = work.render()
    work.patch({"delivery": {"preset": "game", "choices": {"tail_ms": 300}}})
    later = work.sheet(since=first["revision"], cast=first["cast"])["lines"]
    assert [each["status"] for each in later] == ["made", "stale", "made"]
    assert later[1]["why"] == "length changed"


def test_an_estimate_counts_the_silence_at_the_edges_too(client: httpx.Client) -> None:
    work = Work(client, "one two three four five six")
    before = work.sheet()["lines"][0]["estimate_s"]
    work.patch({"delivery": {"preset": "game", "choices": {"tail_ms": 1100}}})
    assert work.sheet()["lines"][0]["estimate_s"] == pytest.approx(before + 1.0, abs=0.011)


def lengths(work: Work) -> list[float]:
    return [each["takes"][0]["length_s"] for each in work.sheet()["lines"]]


def file_lengths(work: Work, choices: dict[str, Any]) -> list[float]:
    order = {"sheet": work.sheet_id, "choices": choices}
    done = ended(work.client, work, work.client.post(f"{ROOT}/{work.project}/deliver", json=order).json())
    archive = zipfile.ZipFile(io.BytesIO(work.client.get(done["result"]["file"]).content))
    files = json.loads(archive.read("manifest.json"))["files"]
    sounds = [soundfile.info(io.BytesIO(archive.read(file["file"]))).duration for file in files]
    assert sounds == pytest.approx([file["duration_s"] for file in files], abs=0.001)
    return sounds
