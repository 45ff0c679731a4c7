"""Mixed requests through all doors with injected faults: each request has exactly one end, and the studio leaks nothing.

`make soak` runs the long form: 1,000 requests to the embedded engines, in a process started as in README.
"""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from studio.champions.library import Library
from studio.disk.housekeeping import CHECK_S
from studio.telemetry.records import RequestRecord
from tests.browser.serving import ROOT, serving
from tests.faults.engine import NAME
from tests.faults.faulty_engines import MODULE
from tests.faults.soak import Ended, Rest, Soaked, counts, faults, soak
from tests.faults.soak_doors import DONE, HUNG, STOPPED, Site
from tests.faults.soak_plan import Asked, plan
from tests.faults.soak_process import running
from tests.faults.soak_report import write_report
from tests.studio.champions.voices import keep

SHORT = 100
DONE_SHARE = 0.75  # of all requests; the others are cancelled, refused, or run beside a fault
FEW_STEPS = {"steps": 4.0}  # makes F5-TTS faster


def test_each_of_100_mixed_requests_has_one_end(tmp_path: Path) -> None:
    keep(Library(tmp_path), engine=NAME, settings={})
    (tmp_path / "tmp").mkdir()
    settings = {"STUDIO_ENGINES": NAME, "STUDIO_EARS": "off", "TMPDIR": tmp_path / "tmp"}
    with serving(tmp_path, engines={NAME: f"{MODULE}:BELL_SPEC"}, **settings) as served:
        site = Site(served.url, voice="ahri", settings={NAME: {}}, patience_s=60.0, cut_s=0.1)
        soaked = soak(served, tmp_path, plan(SHORT, 1, (NAME,)), site)
    require_one_end(soaked)


@pytest.mark.long
@pytest.mark.timeout(14_400)
def test_each_of_many_mixed_requests_to_the_embedded_engines_has_one_end(
    tmp_path: Path, requests: int, start: int
) -> None:
    with running(tmp_path, STUDIO_EARS="off") as served:
        settings = {"f5": FEW_STEPS, "s1": {}}
        site = Site(served.url, voice="amber", settings=settings, patience_s=240.0, cut_s=1.5)
        soaked = soak(served, tmp_path / "data", plan(requests, start, tuple(settings)), site, CHECK_S + 2.0)
    print(write_report(ROOT / ".cache" / "soak.html", soaked, start))
    require_one_end(soaked)


ASKED = Asked(0, "soak-1-000000", "http", "f5", "Hold.", "plain", 0.0, 1)
RECORD = RequestRecord(request_id=ASKED.id, at=0.0, door="http", engine="f5", outcome="done", total_s=1.0)
OUTCOMES = {"arrived": 1, "done": 1}
RESTS = [Rest(number, 1_000_000_000, files=40, threads=10, temporary=0) for number in (0, 100, 200, 300)]


def test_a_request_with_one_end_and_one_record_is_right() -> None:
    assert faults(Soaked([Ended(ASKED, DONE, 1.0)], RESTS, [RECORD], OUTCOMES, 1.0)) == []


@pytest.mark.parametrize(
    ("end", "records", "outcomes"),
    [
        (HUNG, [RECORD], OUTCOMES),
        (DONE, [], OUTCOMES),
        (DONE, [RECORD, RECORD], OUTCOMES),
        (DONE, [replace(RECORD, outcome="failed")], OUTCOMES),
        (DONE, [RECORD], {"arrived": 2, "done": 1}),
        (STOPPED, [RECORD], OUTCOMES),
        ("engine_failed", [], OUTCOMES),
        ("doubled: two ends", [RECORD], OUTCOMES),
    ],
)
def test_a_soak_finds_lost_doubled_and_hung_requests(
    end: str, records: list[RequestRecord], outcomes: dict[str, int]
) -> None:
    assert faults(Soaked([Ended(ASKED, end, 1.0)], RESTS, records, outcomes, 1.0))


@pytest.mark.parametrize("more", [{"files": 60}, {"threads": 60}, {"temporary": 1}, {"rss_bytes": 1_010_000_000}])
def test_a_soak_finds_leaked_resources(more: dict[str, int]) -> None:
    rests = [*RESTS[:-1], replace(RESTS[-1], **more)]  # type: ignore[arg-type]
    assert faults(Soaked([Ended(ASKED, DONE, 1.0)], rests, [RECORD], OUTCOMES, 1.0))


def require_one_end(soaked: Soaked) -> None:
    print(f"\n{len(soaked.ended)} requests in {soaked.seconds:.0f} s, load {os.getloadavg()[0]:.1f}")
    for (door, end), number in sorted(counts(soaked).items()):
        print(f"{number:6,} {door}: {end}")
    print(*soaked.rests, sep="\n")
    assert faults(soaked) == []
    assert sum(one.end == DONE for one in soaked.ended) >= DONE_SHARE * len(soaked.ended)
