"""CUDA's driver and runtime compiler, as `cuda.bindings` calls them."""

from typing import Any


def checked(returned: tuple[Any, ...]) -> Any:
    """What a call returned behind its outcome. Raises RuntimeError naming what went wrong."""
    outcome, *values = returned
    if outcome.value:
        raise RuntimeError(f"CUDA: {outcome.name}")
    return values[0] if values else None
