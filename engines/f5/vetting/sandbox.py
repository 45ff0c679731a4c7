"""Limit a process that opens an untrusted file: its resources, and its side effects in case the file runs code."""

import importlib
import sys
from collections.abc import Collection
from dataclasses import dataclass
from importlib.util import find_spec
from os import O_APPEND, O_CREAT, O_RDWR, O_TRUNC, O_WRONLY

READS = frozenset({"os.listdir", "os.scandir"})
SIDE_EFFECTS = ("os.", "socket.", "subprocess.", "shutil.", "ctypes.", "pty.", "mmap.")
LIMITS_KNOWN = (
    find_spec("resource") is not None
)  # Windows has no limits; there the parent process watches memory and time
WRITE_FLAGS = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """The resource limits of a process."""

    memory_bytes: int  # private memory and files mapped for reading
    file_bytes: int  # of each file that it writes
    seconds: float


def enforce(limits: SandboxLimits) -> None:
    """Limit this process until its end. Data memory is limited, not address space, of which torch reserves tens of GB."""
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
    """Forbid side effects of Python code in this process, except reading files and writing these files.

    This is a second defence after `weights_only`, which has been bypassed before (CVE-2025-32434, CVE-2026-24747).
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
