"""A real Triton server, alone or run by `deploy/triton/serve`, in a separate network namespace."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest

from tests.waiting import PATIENCE_S, until

ROOT = Path(__file__).parents[3]
TRITONSERVER = ROOT / "deploy" / "tritonserver"

on_linux = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64",
    reason="Triton's server is built for Linux on x86-64 alone",
)


def model_of(archive: Path, folder: Path) -> Path:
    """Unpack an archive's files, like an endpoint, into a folder with the name of the model."""
    folder.mkdir(parents=True)
    subprocess.run(["tar", "-xzf", archive, "-C", folder], check=True)
    return folder


@dataclass(frozen=True, slots=True)
class Stack:
    """The programs in a namespace, and the sockets by which they are reached from outside."""

    folder: Path
    supervisor: psutil.Process
    public: httpx.Client
    studio: httpx.Client

    @property
    def grpc(self) -> str:
        return f"unix:{self.folder / 'grpc.sock'}"

    def process(self, named: str) -> psutil.Process:
        """Return the supervised process whose command contains this text."""
        until(lambda: self._found(named))
        return self._found(named)[0]

    def is_ready(self) -> bool:
        with suppress(httpx.HTTPError):
            return self.public.get("/ping").status_code == 200
        return False

    def wait_until_loaded(self) -> None:
        """Wait until every engine speaks; `/ready` only waits for one."""
        until(lambda: all(engine["state"] == "ready" for engine in self.studio.get("/studio/engines").json()))

    def _found(self, named: str) -> list[psutil.Process]:
        found = []
        for child in self.supervisor.children():
            with suppress(psutil.NoSuchProcess):
                found += [child] if any(named in part for part in child.cmdline()) else []
        return found


def at_socket(path: Path, timeout_s: float = PATIENCE_S) -> httpx.Client:
    return httpx.Client(transport=httpx.HTTPTransport(uds=str(path)), base_url="http://localhost", timeout=timeout_s)


@contextmanager
def served(folder: Path, **settings: object) -> Iterator[Stack]:
    """Run `deploy/triton/serve` with `namespace.py`."""
    tried = subprocess.run(["unshare", "-n", "-m", "true"], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip(f"a namespace of its own is not allowed here: {tried.stderr.decode().strip()}")
    for name in ("data", "archives"):
        (folder / name).mkdir(parents=True)
    ours = {
        "RUN_DIR": folder,
        "PYTHON": sys.executable,
        "TRITONSERVER": TRITONSERVER,
        "PUBLIC_HTTP": f"unix@{folder / 'http.sock'}",
        "PUBLIC_GRPC": f"unix@{folder / 'grpc.sock'}",
        "STUDIO_DEVICE": "cpu",
    }
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("STUDIO_", "SAGEMAKER_"))}
    environment |= {name: str(value) for name, value in {**ours, **settings}.items()}
    inside = [sys.executable, Path(__file__).with_name("namespace.py"), folder]
    command = ["unshare", "-n", "-m", *inside, ROOT / "deploy" / "triton" / "serve"]
    sockets = at_socket(folder / "http.sock"), at_socket(folder / "studio.sock")
    with running(command, environment, folder / "log") as process, sockets[0] as public, sockets[1] as studio:
        stack = Stack(folder, psutil.Process(process.pid), public, studio)
        until(lambda: stack.is_ready() or process.poll() is not None)
        assert process.poll() is None, (folder / "log").read_text(errors="replace")[-3_000:]
        stack.wait_until_loaded()
        yield stack


@contextmanager
def running(command: list[object], environment: Mapping[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process, and end it with all its children."""
    with log.open("wb") as sink:
        process = subprocess.Popen([str(part) for part in command], env=environment, stdout=sink, stderr=sink)
    try:
        yield process
    finally:
        children = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
        process.terminate()
        until(lambda: process.poll() is not None)
        for child in children:
            with suppress(psutil.NoSuchProcess):
                child.kill()
