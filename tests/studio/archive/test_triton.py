"""An exported archive loads unchanged in a real Triton server and speaks there. `make .venv/triton.stamp` installs that."""

import io
import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import soundfile

from tests.browser.serving import Served
from tests.studio.archive.archives import base, files, pack_now, tuned
from tests.studio.champions.hearing import understood

ROOT = Path(__file__).parents[3]
VENV = ROOT / ".venv" / "triton"
STARTS_WITHIN_S = 60.0
WAIT_S = 300.0
LINE = "Our base is under attack."

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
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=WAIT_S) as client:
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


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("triton")
    for id, members in {"ahri": base(), "yasuo": tuned(), "broken": base(), "nameless": base()}.items():
        pack_now(files(folder / id, members), folder / f"{id}.tar.gz")
        unpacked_as_a_model(folder / f"{id}.tar.gz", folder / "models")
    (folder / "models" / "broken" / "reference.wav").unlink()
    (folder / "models" / "nameless" / "metadata.json").write_text('{"model_type": "base"}')
    return folder


@pytest.fixture(scope="module")
def alone(repository: Path) -> Iterator[httpx.Client]:
    with triton(repository / "models", repository / "alone") as client:
        yield client


@pytest.mark.parametrize("id", ["ahri", "yasuo"])
def test_an_exported_archive_is_ready_in_triton(alone: httpx.Client, id: str) -> None:
    assert alone.get(f"/v2/models/{id}/ready").status_code == 200


@pytest.mark.parametrize(("id", "why"), [("broken", "lacks reference.wav"), ("nameless", 'holds no "champion_id"')])
def test_what_lacks_its_reference_or_its_id_is_not_ready_and_says_why(alone: httpx.Client, id: str, why: str) -> None:
    assert alone.get(f"/v2/models/{id}/ready").status_code != 200
    (model,) = [model for model in alone.post("/v2/repository/index").json() if model["name"] == id]
    assert why in model["reason"]


def test_without_a_studio_behind_it_a_champion_says_what_to_do(alone: httpx.Client) -> None:
    answer = asked(alone, "ahri", text="hello")
    assert answer.status_code >= 400
    assert "set CHAMPION_STUDIO_URL" in answer.json()["error"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, speaking_studio: Served) -> Iterator[httpx.Client]:
    """A Triton server with a champion as the studio packages it, and that studio behind it."""
    folder = tmp_path_factory.mktemp("served")
    with httpx.Client(base_url=speaking_studio.url, timeout=WAIT_S) as owner:
        job = owner.post("/studio/champions/ahri/package").json()
        while job["state"] == "running":
            job = owner.get(f"/studio/jobs/{job['id']}").json()
        (folder / "ahri.tar.gz").write_bytes(owner.get(job["result"]["archive"]).content)
    unpacked_as_a_model(folder / "ahri.tar.gz", folder / "models")
    environment = {"CHAMPION_STUDIO_URL": f"{speaking_studio.url}/", "CHAMPION_STUDIO_KEY": "k"}
    with triton(folder / "models", folder / "backends", **environment) as client:
        yield client


@pytest.mark.parametrize("engine", ["f5", "s1"])
def test_with_a_studio_behind_it_a_champion_says_the_line(served: httpx.Client, engine: str) -> None:
    settings = json.dumps({"model": engine, "seed": 2})
    answer = asked(served, "ahri", text=LINE, champion_id="ahri", settings=settings)
    assert answer.status_code == 200, answer.text
    assert understood(sound_of(answer)) == LINE


def test_the_settings_reach_the_engine(served: httpx.Client) -> None:
    fast, slow = (
        soundfile.info(io.BytesIO(sound_of(asked(served, "ahri", text=LINE, settings=f'{{"speed": {speed}}}'))))
        for speed in (2.0, 1.0)
    )
    assert slow.duration > 1.5 * fast.duration


def test_a_model_speaks_as_its_own_champion_alone(served: httpx.Client) -> None:
    assert "speaks as ahri" in asked(served, "ahri", text="hello", champion_id="yasuo").json()["error"]


@pytest.mark.parametrize(
    ("says", "settings"),
    [
        ("answered 400: speed must be 0.3 to 2.5, not 99", {"speed": 99}),
        ("answered 400: there is no 'sped' here", {"sped": 1}),
        ("answered 404: there is no engine called 'tts-1'", {"model": "tts-1"}),
        ("settings must be a JSON object", [1]),
    ],
)
def test_what_the_studio_refuses_is_answered_in_its_words(served: httpx.Client, says: str, settings: object) -> None:
    answer = asked(served, "ahri", text="hello", settings=json.dumps(settings))
    assert (answer.status_code >= 400, says in answer.json()["error"]) == (True, True), answer.text
