"""A process that opens a stranger's file: how much it may use, and what it may do, should the file ever get to run code."""

import resource
import sys
from collections.abc import Collection
from dataclasses import dataclass
from os import O_APPEND, O_CREAT, O_RDWR, O_TRUNC, O_WRONLY

READING = frozenset({"os.listdir", "os.scandir"})
DEEDS = ("os.", "socket.", "subprocess.", "shutil.", "ctypes.", "pty.", "mmap.")
WRITING = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND


@dataclass(frozen=True, slots=True)
class Limits:
    memory_bytes: int  # of private memory, files mapped for reading included
    file_bytes: int  # of any one file it writes
    seconds: float


def limit(limits: Limits) -> None:
    """Bound this process, for good. Its memory, not its address space: importing torch reserves tens of gigabytes of that."""
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


def forbid_deeds(writable: Collection[str]) -> None:
    """From here on Python code in this process reads files and writes these, and does nothing else to the world.

    A second wall behind `weights_only`, which has been got over before (CVE-2025-32434, CVE-2026-24747).
    """

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            refused = isinstance(flags, int) and bool(flags & WRITING) and path not in writable
        else:
            refused = event.startswith(DEEDS) and event not in READING
        if refused:
            raise PermissionError(f"{event} is not allowed here")

    sys.dont_write_bytecode = True
    sys.addaudithook(refuse)
