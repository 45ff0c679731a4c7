"""Compile kernels for a GPU into Triton's folder: `python -m engines.runtime.compiling`, as `launching.py` starts it.

A line of JSON says for which GPU, and of each kernel the module, the name and what it is specialised for. No GPU is touched.
"""

import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from threading import Thread
from typing import Any

from triton.backends.compiler import GPUTarget  # type: ignore[import-untyped]
from triton.runtime import driver  # type: ignore[import-untyped]

NICENESS = 10  # who speaks meanwhile comes first


class Target:
    """As much of a driver as compiling asks for."""

    def __init__(self, target: GPUTarget) -> None:
        self.get_current_target: Callable[[], GPUTarget] = lambda: target

    def get_current_device(self) -> int:
        """There is one."""
        return 0


def _end_with_parent() -> None:
    sys.stdin.read()  # until the other end is closed
    os._exit(1)


def main() -> None:
    asked: dict[str, Any] = json.loads(sys.stdin.readline())
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    Thread(target=_end_with_parent, daemon=True).start()
    driver.set_active(Target(GPUTarget(*asked["target"])))
    for module, name, specialisation, _ in asked["kernels"]:
        getattr(import_module(module), name).preload(specialisation)
    os._exit(0)  # the thread that reads would hold it up


if __name__ == "__main__":
    main()
