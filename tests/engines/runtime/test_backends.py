"""Selection of backends: the fastest that applies, and the next one after a failure."""

import logging
from dataclasses import replace

import pytest
import torch

from bench.backends import A100, CPU, H100
from bench.s1_checkpoints import FULL
from engines.runtime.backends import Selection
from engines.s1 import backends as s1
from engines.s1.config import DualARConfig

ON_H100 = s1.S1Conditions(
    hardware=H100,
    compile=True,
    network=DualARConfig.from_mapping(FULL.network),
    semantic_count=4096,
    residual_size=1024,
    weights=800_000_000,
    dtype=torch.bfloat16,
    rows=1,
)


def decoding(**changes: object) -> Selection[s1.S1Conditions]:
    return Selection(s1.DECODE, replace(ON_H100, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "backend"),
    [
        ({}, "resident"),
        ({"rows": 2}, "triton"),
        ({"dtype": torch.int8}, "triton"),
        ({"hardware": A100}, "triton"),
        ({"compile": False}, "torch"),
        ({"hardware": CPU, "weights": 10_000_000}, "numba"),
        ({"hardware": CPU}, "torch"),
        ({"hardware": CPU, "weights": 10_000_000, "compile": False}, "torch"),
    ],
)
def test_the_fastest_backend_that_applies_decodes(changes: dict[str, object], backend: str) -> None:
    assert decoding(**changes).name == backend


def test_a_choice_says_why_each_faster_backend_does_not_apply() -> None:
    skipped = decoding(hardware=A100).choice.skipped
    assert skipped == {"resident": "needs compute capability 9.0; this GPU has 8.0"}


def test_a_backend_that_fails_is_replaced_by_the_next_with_a_warning_that_names_the_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    selection = decoding()
    with caplog.at_level(logging.WARNING):
        selection.fail(ValueError("no room"))
    assert selection.name == "triton"
    assert selection.choice.failure == "ValueError: no room"
    assert "ValueError: no room" in caplog.text and "resident" in caplog.text
    selection.fail(RuntimeError("lost"))
    assert selection.name == "torch"
