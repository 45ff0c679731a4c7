"""Limits of a process that opens an unknown file: what it may use, and what it may do should the file get to run code."""

import importlib
import sys
from collections.abc import Collection
from dataclasses import dataclass
from importlib.util import find_spec
from os import O_APPEND, O_CREAT, O_RDWR, O_TRUNC, O_WRONLY

READS = frozenset({"os.listdir", "os.scandir"})
SIDE_EFFECTS = ("os.", "socket.", "subprocess.", "shutil.", "ctypes.", "pty.", "mmap.")
LIMITS_KNOWN = find_spec("resource") is not None  # Windows has none; there the parent watches the memory and the time
WRITE_FLAGS = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """The most a process may use."""

    memory_bytes: int  # of private memory, files mapped for reading included
    file_bytes: int  # of any one file it writes
    seconds: float


def enforce(limits: SandboxLimits) -> None:
    """Bound this process until it ends: its memory, not its address space, of which importing torch reserves tens of GB."""
    if not LIMITS_KNOWN:
        return
    resource = importlib.import_module("resource")
    seconds = int(limits.seconds) + 1
    for kind, most in (
        (resource.RLIMIT_DATA, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (bound, bound))


def forbid_side_effects(writable: Collection[str]) -> None:
    """From here on Python code in this process may read any file and write these, and do nothing else outside it.

    A second defence behind `weights_only`, which has been bypassed before (CVE-2025-32434, CVE-2026-24747).
    """

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            refused = isinstance(flags, int) and bool(flags & WRITE_FLAGS) and path not in writable
        else:
            refused = event.startswith(SIDE_EFFECTS) and event not in READS
        if refused:
            raise PermissionError(f"{event} is not allowed here")

    sys.dont_write_bytecode = True
    sys.addaudithook(refuse)
