"""An exported archive loads unchanged in a real Triton server. `make .venv/triton.stamp` installs that."""

import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import pytest

from tests.studio.champions.archives import SOUND, base, files, pack_now, tuned

ROOT = Path(__file__).parents[3]
VENV = ROOT / ".venv" / "triton"
STARTS_WITHIN_S = 60.0

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64",
    reason="Triton's server is built for Linux on x86-64 alone",
)


@contextmanager
def triton(repository: Path, backends: Path, **environment: str) -> Iterator[httpx.Client]:
    """A server on loopback with these models, each of which is loaded or has failed."""
    packages = next(VENV.glob("lib/python3.*/site-packages"), None)
    assert packages is not None, "run `make .venv/triton.stamp` first"
    _gather_backend(packages / "pytriton" / "tritonserver", backends / "python")
    port = _free_port()
    options = {
        "model-repository": repository,
        "backend-directory": backends,
        "http-address": "127.0.0.1",
        "http-port": port,
        "allow-grpc": "false",
        "allow-metrics": "false",
        "exit-on-error": "false",
    }
    command = [packages / "pytriton" / "tritonserver" / "bin" / "tritonserver"]
    libraries = f"{packages / 'nvidia_pytriton.libs'}:{sysconfig.get_config_var('LIBDIR')}"
    environment |= {"PATH": f"{VENV / 'bin'}:{os.environ['PATH']}", "LD_LIBRARY_PATH": libraries}
    environment |= {"PYTHONPATH": str(packages), "VIRTUAL_ENV": str(VENV)}
    log = (backends / "log").open("wb")
    with log, subprocess.Popen([*command, *_flags(options)], env=environment, stdout=log, stderr=log) as server:
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30.0) as client:
                _wait(client, server, backends / "log")
                yield client
        finally:
            server.terminate()


def _gather_backend(server: Path, target: Path) -> None:
    """The Python backend with the stub of this Python version, which the package keeps apart."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    shutil.copytree(server / "backends" / "python", target)
    shutil.copy(server / "python_backend_stubs" / version / "triton_python_backend_stub", target)


def _flags(options: Mapping[str, object]) -> list[str]:
    return [f"--{name}={value}" for name, value in options.items()]


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait(client: httpx.Client, server: subprocess.Popen[bytes], log: Path) -> None:
    due = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < due and server.poll() is None:
        try:
            client.get("/v2/health/live").raise_for_status()
            return
        except httpx.HTTPError:
            time.sleep(0.1)
    raise AssertionError(log.read_text(errors="replace")[-3_000:])


def unpacked_as_a_model(archive: Path, repository: Path) -> None:
    """As an endpoint does it: the archive's files, whatever they are, in a folder named like the model."""
    folder = repository / archive.name.removesuffix(".tar.gz")
    folder.mkdir(parents=True)
    subprocess.run(["tar", "-xzf", archive, "-C", folder], check=True)


def asked(client: httpx.Client, model: str, **inputs: str) -> httpx.Response:
    given = [{"name": name, "shape": [1], "datatype": "BYTES", "data": [value]} for name, value in inputs.items()]
    body = {"inputs": given, "parameters": {"binary_data_output": True}}  # JSON cannot carry sound
    return client.post(f"/v2/models/{model}/infer", json=body)


def sound_of(answer: httpx.Response) -> bytes:
    """The one output of one element: behind the JSON, its length in four bytes, then the bytes."""
    output = answer.content[int(answer.headers["Inference-Header-Content-Length"]) :]
    assert int.from_bytes(output[:4], "little") == len(output) - 4
    return output[4:]


class Door(BaseHTTPRequestHandler):
    """Where a studio speaks: notes what it was asked for and answers with a sound."""

    heard: list[tuple[str, str, dict[str, object]]] = []  # noqa: RUF012

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.heard.append((self.path, self.headers["Authorization"], body))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(SOUND)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("triton")
    for id, members in {"ahri": base(), "yasuo": tuned(), "broken": base()}.items():
        pack_now(files(folder / id, members), folder / f"{id}.tar.gz")
        unpacked_as_a_model(folder / f"{id}.tar.gz", folder / "models")
    (folder / "models" / "broken" / "reference.wav").unlink()
    return folder


@pytest.fixture(scope="module")
def alone(repository: Path) -> Iterator[httpx.Client]:
    with triton(repository / "models", repository / "alone") as client:
        yield client


@pytest.mark.parametrize("id", ["ahri", "yasuo"])
def test_an_exported_archive_is_ready_in_triton(alone: httpx.Client, id: str) -> None:
    assert alone.get(f"/v2/models/{id}/ready").status_code == 200


def test_what_lacks_its_reference_is_not_ready(alone: httpx.Client) -> None:
    assert alone.get("/v2/models/broken/ready").status_code != 200


def test_without_a_studio_behind_it_a_champion_says_what_to_do(alone: httpx.Client) -> None:
    answer = asked(alone, "ahri", text="hello")
    assert answer.status_code >= 400
    assert "set CHAMPION_STUDIO_URL" in answer.json()["error"]


def test_with_a_studio_behind_it_a_champion_speaks(repository: Path) -> None:
    server = HTTPServer(("127.0.0.1", 0), Door)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environment = {"CHAMPION_STUDIO_URL": f"http://127.0.0.1:{server.server_port}/", "CHAMPION_STUDIO_KEY": "k"}
    try:
        with triton(repository / "models", repository / "served", **environment) as client:
            answer = asked(client, "ahri", text="Don't you trust me?", champion_id="ahri", settings='{"speed": 1.1}')
            assert answer.status_code == 200, answer.text
            assert sound_of(answer) == SOUND
            wrong = asked(client, "ahri", text="hello", champion_id="yasuo")
            assert "speaks as ahri" in wrong.json()["error"]
    finally:
        server.shutdown()
    spoken = {"input": "Don't you trust me?", "voice": "ahri", "response_format": "wav", "speed": 1.1}
    assert Door.heard == [("/v1/audio/speech", "Bearer k", spoken)]
