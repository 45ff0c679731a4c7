"""Many broken requests at Triton leave no server error, no traceback, and every process as it was."""

from pathlib import Path
from random import Random

import pytest

from tests.deploy.triton.serving import Stack, on_linux, served
from tests.faults import tensors
from tests.faults.target import COMPLAINT
from tests.waiting import until

SHARE = 0.05  # of what is sent to the studio
WRONG = ("500", "502", "504", "hung", "StatusCode.INTERNAL", "StatusCode.UNKNOWN", "StatusCode.DEADLINE_EXCEEDED")

pytestmark = [on_linux, pytest.mark.long, pytest.mark.timeout(7_200)]


def test_triton(tmp_path: Path, requests: int, start: int) -> None:
    with served(tmp_path) as stack:
        before, number = processes(stack), max(1, round(SHARE * requests / 2))
        over_http = tensors.over_http(tmp_path / "http.sock", number, Random(start))
        over_grpc = tensors.over_grpc(stack.grpc, number, Random(start))
        print(over_http, over_grpc, sep="\n")
        assert [outcome for outcome in (*over_http, *over_grpc) if outcome in WRONG] == []
        until(lambda: not stack.studio.get("/studio/telemetry?series=false").json()["running"])
        assert processes(stack) == before
        assert stack.public.get("/ping").status_code == 200
        log = (tmp_path / "log").read_text("utf-8", "replace")
    assert [log[found.start() : found.start() + 2_000] for found in COMPLAINT.finditer(log)] == []


def processes(stack: Stack) -> set[int]:
    """The studio, Triton with a process for each model, and haproxy."""
    return {child.pid for child in stack.supervisor.children(recursive=True)}
