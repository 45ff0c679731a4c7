"""Benchmarks time nothing whose output differs from upstream's, and their results name the program that produced them."""

import json
from pathlib import Path

import pytest

from bench import f5_network, s1, s1_parity

RESULTS = Path(__file__).parents[2] / "bench" / "results"
F5_EQUAL = {
    "fp32": 4e-6, "upstream_fp16_against_fp32": 0.006, "fp16_against_fp32": 0.006, "compiled_against_fp32": 0.006,
}  # fmt: skip
S1_EQUAL = {
    "network": {
        "slow_logits": 2e-5, "fast_logits": 9e-7, "frames": 200,
        "eager_equal_frames": 200, "compiled_equal_frames": 200, "compiled_note": "",
    },
    "codec": {"codes_equal": 1.0, "decode": 8e-8, "streamed": 3e-7, "frames": 60, "frames_decoded": 60},
}  # fmt: skip


def test_f5_is_timed_if_it_equals_upstream() -> None:
    f5_network.check(F5_EQUAL)


@pytest.mark.parametrize(
    "changed",
    [{"fp32": 1e-3}, {"fp32": float("nan")}, {"fp16_against_fp32": 0.01}, {"compiled_against_fp32": 0.01}],
    ids=str,
)
def test_f5_is_not_timed_if_it_differs(changed: dict[str, float]) -> None:
    with pytest.raises(f5_network.Unequal, match=next(iter(changed))):
        f5_network.check(F5_EQUAL | changed)


def test_s1_is_timed_if_it_equals_upstream() -> None:
    assert s1_parity.wrong(S1_EQUAL) == []


@pytest.mark.parametrize(
    ("part", "changed"),
    [
        ("network", {"slow_logits": 1e-3}),
        ("network", {"compiled_equal_frames": 199}),
        ("network", {"compiled_note": "compiling failed"}),
        ("codec", {"decode": float("nan")}),
        ("codec", {"codes_equal": 0.99}),
        ("codec", {"frames_decoded": 59}),
        ("codec", {"failed": "out of memory"}),
    ],
    ids=str,
)
def test_s1_is_not_timed_if_it_differs(part: str, changed: dict[str, object]) -> None:
    assert s1_parity.wrong(S1_EQUAL | {part: S1_EQUAL[part] | changed})


def test_s1_is_not_timed_without_a_comparison() -> None:
    assert s1_parity.wrong({"network": {}, "codec": {}})


def test_the_stored_s1_figures_belong_to_this_program() -> None:
    kept = json.loads((RESULTS / "s1-h200.json").read_text())
    assert kept["machine"]["commit"] and "H200" in kept["machine"]["device"]
    assert set(kept) <= {"machine", "checkpoint", "parity", *s1.SECTIONS}
    assert s1_parity.wrong({part: kept["parity"][part] for part in ("network", "codec")}) == []


def test_the_stored_f5_figures_belong_to_this_program() -> None:
    kept = json.loads((RESULTS / "f5-h200.json").read_text())
    assert kept["commit"] and "H200" in kept["device"]
    f5_network.check(kept["network"]["parity"])
    assert {f"nfe_{steps}" for steps in f5_network.STEPS} <= set(kept["network"])
