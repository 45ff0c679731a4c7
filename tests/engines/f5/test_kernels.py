"""F5's kernels without a GPU: interpreted and compared with torch, and compiled."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.engines.f5.test_parity import ROUNDING

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Triton is built for Linux alone")

KERNELS = "activate", "attend", "convolve_text", "guide", "respond", "rotate"


def reported(what: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.engines.f5.without_gpu", what],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "TRITON_INTERPRET": str(int(what != "compile"))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def interpreted() -> dict[str, Any]:
    return reported("interpret")


def test_a_step_and_a_context_of_a_small_network_equal_torch() -> None:
    found = reported("interpret-few")
    assert max(*found["rows"], *found["contexts"]) < ROUNDING
    assert found["note"] == ""


@pytest.mark.long
def test_steps_of_rows_of_three_lengths_equal_torch(interpreted: dict[str, Any]) -> None:
    assert max(interpreted["rows"]) < ROUNDING
    assert interpreted["note"] == ""


@pytest.mark.long
def test_contexts_of_rows_equal_the_networks(interpreted: dict[str, Any]) -> None:
    assert min(interpreted["contexts"]) > 0 and max(interpreted["contexts"]) < ROUNDING


@pytest.mark.long
def test_replaced_weights_are_used(interpreted: dict[str, Any]) -> None:
    assert max(interpreted["other weights"]) < ROUNDING


@pytest.mark.long
def test_query_norms_few_rotated_heads_and_a_long_skip_equal_torch(interpreted: dict[str, Any]) -> None:
    assert max(interpreted["other design"]) < ROUNDING


@pytest.mark.long
def test_frames_between_sequences_stay_unchanged(interpreted: dict[str, Any]) -> None:
    assert interpreted["between"] == 0.0


@pytest.mark.long
def test_every_kernel_of_the_full_network_compiles_for_a_hopper_gpu_in_another_process() -> None:
    made = reported("compile")
    assert made["kernels"] == dict.fromkeys(KERNELS, 1) | {"convolve": 2, "modulate": 2}
    assert made["compiled again"] == 0
    assert made["compiled for other lengths"] == 0
