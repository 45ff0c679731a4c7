"""Training goes on where compiled code fails, and only there."""

import pytest

from training.compilation import compiled_or_not


def test_a_step_whose_compiled_code_fails_is_made_once_more_without() -> None:
    compiled = [True]

    def step() -> str:
        if compiled[0]:
            raise RuntimeError("no such kernel")
        return "figures"

    assert compiled_or_not(step, True, lambda: compiled.__setitem__(0, False)) == "figures"


def test_what_fails_uncompiled_is_raised() -> None:
    def step() -> str:
        raise RuntimeError("no memory")

    for compiled in (False, True):
        with pytest.raises(RuntimeError, match="no memory"):
            compiled_or_not(step, compiled, lambda: None)
