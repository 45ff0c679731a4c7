"""Start a studio with the embedded checkpoints in a process, for benchmarks of a whole studio."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

ROOT = Path(__file__).parents[1]
WITHIN_S = 120.0


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def wait_for_port(url: str) -> None:
    due = time.monotonic() + WITHIN_S
    while True:
        try:
            urllib.request.urlopen(url + "/health", timeout=5).close()
            return
        except OSError:
            if time.monotonic() > due:
                raise
            time.sleep(0.05)


def _ready(url: str) -> bool:
    engines = httpx.get(f"{url}/studio/engines").json()
    if failed := [each["message"] for each in engines if each["state"] == "failed"]:
        raise RuntimeError(failed[0])
    return all(each["state"] == "ready" for each in engines)


@contextmanager
def studio(
    log: Path = Path(os.devnull), command: Sequence[str] = ("app.py",), **settings: str
) -> Iterator[tuple[str, Path, int]]:
    """Run a studio as in README, or Python with other arguments.

    Yield address, data folder and process id when all engines are warm. Raises RuntimeError if an engine fails.
    """
    with log.open("wb") as errors, tempfile.TemporaryDirectory() as data:
        url = f"http://127.0.0.1:{(port := free_port())}"
        environment = os.environ | {"STUDIO_PORT": str(port), "STUDIO_DATA_DIR": data, **settings}
        process = subprocess.Popen([sys.executable, *command], cwd=ROOT, env=environment, stderr=errors)
        try:
            wait_for_port(url)
            while not _ready(url):
                time.sleep(0.2)
            yield url, Path(data), process.pid
        finally:
            process.terminate()
            process.wait()
