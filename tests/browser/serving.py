"""The real studio as a process of its own, on a free port with its own data folder.

It is a fork of a process that has imported what `app.py` imports, which takes ten seconds of processor each time; `fresh`
starts `python app.py` itself, as a user does.
"""

import json
import multiprocessing
import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from engines.registry import ENGINES
from tests.waiting import PATIENCE_S, until

ROOT = Path(__file__).parents[2]
FORKS = multiprocessing.get_context("forkserver")
NONE: Mapping[str, str] = {}
FORKS.set_forkserver_preload(["tests.browser.preloaded"])


class Fork:
    """A forked studio, with as much of subprocess.Popen as tests use."""

    def __init__(
        self, environment: dict[str, str], log: Path, without: Sequence[str], engines: Mapping[str, str]
    ) -> None:
        self._process = FORKS.Process(target=run, args=(environment, log, without, engines))
        self._process.start()
        self.pid = self._process.pid
        self.kill, self.terminate = self._process.kill, self._process.terminate

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        assert self._process.exitcode is not None, "the studio has not ended"
        return self._process.exitcode


def run(environment: dict[str, str], log: Path, without: Sequence[str], engines: Mapping[str, str]) -> None:
    """The forked process, to which some modules are as if they were not installed, and which knows further engines."""
    sys.modules.update(dict.fromkeys(without))
    ENGINES.update(engines)
    os.chdir(ROOT)
    os.environ.clear()
    os.environ.update(environment)
    with log.open("ab") as sink:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(sink.fileno(), stream.fileno())
    import_module("app").main()


@dataclass(frozen=True, slots=True)
class Served:
    url: str
    process: subprocess.Popen[bytes] | Fork
    log: Path

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=PATIENCE_S) as answer:
            return json.loads(answer.read())

    def stop(self) -> int:
        """SIGTERM, as a service manager would; the exit code."""
        self.process.terminate()
        return self.process.wait(PATIENCE_S)


@contextmanager
def serving(
    data_dir: Path,
    port: int = 0,
    ready_path: str = "/ready",
    *,
    fresh: bool = False,
    without: Sequence[str] = (),
    engines: Mapping[str, str] = NONE,
    **settings: object,
) -> Iterator[Served]:
    """Start, wait until it can speak (or until this `ready_path` answers), and stop at the end whatever happened."""
    port = port or free_port()
    data_dir.mkdir(parents=True, exist_ok=True)
    log = data_dir / "studio.log"
    ours = {"STUDIO_PORT": port, "STUDIO_DATA_DIR": data_dir, "STUDIO_DEVICE": "cpu", **settings}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STUDIO_")}
    environment |= {name: str(value) for name, value in ours.items()}
    process = started(environment, log) if fresh else Fork(environment, log, without, engines)
    served = Served(f"http://127.0.0.1:{port}", process, log)
    try:
        wait_until_ready(served, ready_path)
        yield served
    finally:
        process.kill()
        process.wait()


def started(environment: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("ab") as sink:
        return subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env=environment, stdout=sink, stderr=sink)


def wait_until_ready(served: Served, ready_path: str) -> None:
    def answers_or_ended() -> bool:
        try:
            return served.process.poll() is not None or bool(served.get(ready_path))
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            return False

    until(answers_or_ended)
    assert served.process.poll() is None, f"the studio did not become ready:\n{served.log.read_text()}"


def wait_until_loaded(served: Served) -> None:
    """Until every engine is warm."""
    until(lambda: all(engine["state"] == "ready" for engine in served.get("/studio/engines")))


def now(served: Served) -> Any:
    """What the studio tells of itself."""
    return served.get("/studio/telemetry?series=false")


def wait_until_idle(served: Served) -> None:
    """Until the scheduler holds nothing: a stopped request leaves after the step it is in, long before it would be done."""
    until(lambda: not now(served)["running"])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
