"""Results of `cuda.bindings`, which calls CUDA's driver and its runtime compiler."""

from typing import Any


def checked(returned: tuple[Any, ...]) -> Any:
    """Return the values of a call without its status. Raises RuntimeError with the name of the error."""
    status, *values = returned
    if status.value:
        raise RuntimeError(f"CUDA: {status.name}")
    return values[0] if values else None
