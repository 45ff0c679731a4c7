"""The studio that is attacked, what its process holds as seen from outside, and what its log complains of."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from studio.champions.library import Library
from tests.browser.serving import Served, now, serving
from tests.faults.engine import NAME
from tests.studio.champions.voices import keep
from tests.waiting import until

UPLOAD_MB = 1
COMPLAINT = re.compile(r"^(Traceback|.* (ERROR|CRITICAL) )|never awaited|was never retrieved", re.MULTILINE)
STATE = ("studio.log", "studio.sqlite")  # what grows with what is kept, and is no temporary file


@contextmanager
def attacked(data_dir: Path, *, page: bool = False, **settings: object) -> Iterator[Served]:
    """A studio on the bell with a champion; whoever asks owns it."""
    keep(Library(data_dir), engine=NAME, settings={"speed": 1.5, "seed": 7})
    shown = {"STUDIO_PAGE": "on" if page else "off", "STUDIO_MAX_UPLOAD_MB": UPLOAD_MB}
    engines = {NAME: "tests.faults.engine:SPEC"}
    with serving(data_dir, engines=engines, STUDIO_ENGINES=NAME, **{**shown, **settings}) as served:
        yield served


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a studio at rest holds."""

    rss_bytes: int
    files: int  # open, sockets included
    threads: int
    children: int
    unfinished: int  # uploads and staged versions
    running: int
    waiting: int

    @property
    def held(self) -> tuple[int, int, int, int]:
        """What must be none."""
        return self.children, self.unfinished, self.running, self.waiting


def footprint(served: Served, data_dir: Path) -> Footprint:
    """Once connections that ended are closed and what they asked for has left the scheduler."""
    process = psutil.Process(served.process.pid)
    until(lambda: not now(served)["running"] and not now(served)["queue_length"] and not process.children())
    until(lambda: sum(each.status == psutil.CONN_ESTABLISHED for each in process.net_connections()) == 0)
    answer = now(served)
    return Footprint(
        rss_bytes=process.memory_info().rss,
        files=process.num_fds(),
        threads=process.num_threads(),
        children=len(process.children(recursive=True)),
        unfinished=len([path for path in (data_dir / "uploads").glob("*") if path.is_file()]),
        running=len(answer["running"]),
        waiting=answer["queue_length"],
    )


def complaints(served: Served) -> list[str]:
    """Lines of the log that tell of a mistake, each with what follows it."""
    log = served.log.read_text("utf-8", "replace")
    return [log[found.start() : found.start() + 3_000] for found in COMPLAINT.finditer(log)]
