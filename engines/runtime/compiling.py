"""Compile Triton kernels into Triton's cache, in a process that `launching.py` starts with `-m engines.runtime.compiling`.

One line of JSON on stdin gives the GPU, and for each kernel its module, name and specialisation. No GPU is used.
"""

import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from triton.backends.compiler import GPUTarget  # type: ignore[import-untyped]
from triton.runtime import driver  # type: ignore[import-untyped]

from engines.runtime.compiler_process import leave_time_for_speech


class Target:
    """The part of Triton's driver that compiling needs."""

    def __init__(self, target: GPUTarget) -> None:
        self.get_current_target: Callable[[], GPUTarget] = lambda: target

    def get_current_device(self) -> int:
        """Return 0: there is one device."""
        return 0


def main() -> None:
    asked: dict[str, Any] = json.loads(sys.stdin.readline())
    leave_time_for_speech()
    driver.set_active(Target(GPUTarget(*asked["target"])))
    for module, name, specialisation, _ in asked["kernels"]:
        getattr(import_module(module), name).preload(specialisation)
    os._exit(0)  # the thread that reads stdin would block a normal exit


if __name__ == "__main__":
    main()
