"""The GPU kernels without a GPU: interpreted and compared with torch, and compiled."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Triton is built for Linux alone")
ROOT = Path(__file__).parents[3]


def reported(what: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.engines.s1.without_gpu", what],
        cwd=ROOT,
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


def test_frames_audio_rotated_halves_and_tokens_of_small_networks_equal_torch() -> None:
    found = reported("interpret-few")
    assert all(found["float"]["same"])
    assert max(found["float"]["pending"], found["float"]["cache"], found["halves"], *found["codec"]) < 1e-5
    assert found["tokens"]["same"]
    assert found["tokens"]["pending"] < 1e-5


@pytest.mark.long
@pytest.mark.parametrize("weights", ["float", "many", "int8", "cached in int8"])
def test_kernels_generate_torchs_frames(interpreted: dict[str, Any], weights: str) -> None:
    assert all(interpreted[weights]["same"])
    assert interpreted[weights]["pending"] < 1e-5
    assert interpreted[weights]["cache"] < 1e-5


@pytest.mark.long
def test_a_single_row_has_exactly_its_numbers_in_a_batch(interpreted: dict[str, Any]) -> None:
    assert interpreted["alone"]


@pytest.mark.long
def test_the_codecs_kernel_computes_torchs_audio_and_state(
    interpreted: dict[str, Any],
) -> None:
    assert max(interpreted["codec"]) < 1e-5


@pytest.mark.long
def test_every_kernel_of_the_full_network_compiles_for_a_hopper_gpu_in_another_process() -> None:
    made = reported("compile")
    assert made == {
        "kernels": ["advance", "attend", "convolve", "draw", "project", "project_tile"],
        "compiled again": 0,
    }
