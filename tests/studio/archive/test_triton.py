"""An exported archive loads unchanged in a real Triton server and speaks there. `make .venv/triton.stamp` installs that."""

import io
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
import soundfile

from tests.browser.serving import Served, free_port
from tests.deploy.triton.serving import TRITONSERVER, model_of, on_linux, running
from tests.studio.archive.archives import base, files, pack_now, tuned
from tests.studio.champions.hearing import understood
from tests.waiting import PATIENCE_S, until

LINE = "Our base is under attack."

pytestmark = on_linux


@contextmanager
def triton(repository: Path, folder: Path, **environment: str) -> Iterator[httpx.Client]:
    """A server on loopback with these models, each of which is loaded or has failed."""
    folder.mkdir()
    port = free_port()
    options = {
        "model-repository": repository,
        "http-address": "127.0.0.1",
        "http-port": port,
        "allow-grpc": "false",
        "allow-metrics": "false",
        "exit-on-error": "false",
    }
    command = [TRITONSERVER, *(f"--{name}={value}" for name, value in options.items())]
    with (
        running(command, environment | {"PATH": os.environ["PATH"], "RUN_DIR": str(folder)}, folder / "log") as server,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S) as client,
    ):
        until(lambda: server.poll() is not None or is_live(client))
        assert server.poll() is None, (folder / "log").read_text(errors="replace")[-3_000:]
        yield client


def is_live(client: httpx.Client) -> bool:
    with suppress(httpx.HTTPError):
        return client.get("/v2/health/live").status_code == 200
    return False


def asked(client: httpx.Client, model: str, **inputs: str) -> httpx.Response:
    given = [{"name": name, "shape": [1], "datatype": "BYTES", "data": [value]} for name, value in inputs.items()]
    body = {"inputs": given, "outputs": [{"name": "wav", "parameters": {"binary_data": True}}]}
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
        model_of(folder / f"{id}.tar.gz", folder / "models" / id)
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


@pytest.mark.parametrize(("id", "why"), [("broken", "lacks reference.wav"), ("nameless", 'lacks "champion_id"')])
def test_what_lacks_its_reference_or_its_id_is_not_ready_and_says_why(alone: httpx.Client, id: str, why: str) -> None:
    assert alone.get(f"/v2/models/{id}/ready").status_code != 200
    (model,) = [model for model in alone.post("/v2/repository/index").json() if model["name"] == id]
    assert why in model["reason"]


def test_without_a_studio_behind_it_a_champion_says_what_to_do(alone: httpx.Client) -> None:
    answer = asked(alone, "ahri", text="hello")
    assert answer.status_code >= 400
    assert "set CHAMPION_STUDIO_SOCKET, or set CHAMPION_STUDIO_URL" in answer.json()["error"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, speaking_studio: Served) -> Iterator[httpx.Client]:
    """A Triton server with a champion as the studio packages it, and that studio behind it."""
    folder = tmp_path_factory.mktemp("served")
    with httpx.Client(base_url=speaking_studio.url, timeout=PATIENCE_S) as owner:
        job = owner.post("/studio/champions/ahri/package").json()
        while job["state"] == "running":
            job = owner.get(f"/studio/jobs/{job['id']}").json()
        (folder / "ahri.tar.gz").write_bytes(owner.get(job["result"]["archive"]).content)
    model_of(folder / "ahri.tar.gz", folder / "models" / "ahri")
    environment = {"CHAMPION_STUDIO_URL": f"{speaking_studio.url}/", "CHAMPION_STUDIO_KEY": "k"}
    with triton(folder / "models", folder / "backends", **environment) as client:
        yield client


@pytest.mark.long
@pytest.mark.parametrize("engine", ["f5", "s1"])
def test_with_a_studio_behind_it_a_champion_says_the_line(served: httpx.Client, engine: str) -> None:
    settings = json.dumps({"model": engine, "seed": 2})
    answer = asked(served, "ahri", text=LINE, champion_id="ahri", settings=settings)
    assert answer.status_code == 200, answer.text
    assert understood(sound_of(answer)) == LINE


@pytest.mark.long
def test_the_settings_reach_the_engine(served: httpx.Client) -> None:
    fast, slow = (
        soundfile.info(io.BytesIO(sound_of(asked(served, "ahri", text=LINE, settings=f'{{"speed": {speed}}}'))))
        for speed in (2.0, 1.0)
    )
    assert slow.duration > 1.2 * fast.duration


@pytest.mark.long
def test_a_model_speaks_as_its_own_champion_alone(served: httpx.Client) -> None:
    assert "speaks as ahri" in asked(served, "ahri", text="hello", champion_id="yasuo").json()["error"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("says", "settings"),
    [
        ('answered 400: "speed" must be a number, not', {"speed": "fast"}),
        ("answered 400: unknown setting 'sped'", {"sped": 1}),
        ("answered 404: unknown engine 'tts-1'", {"model": "tts-1"}),
        ("settings must be a JSON object", [1]),
    ],
)
def test_what_the_studio_refuses_is_answered_in_its_words(served: httpx.Client, says: str, settings: object) -> None:
    answer = asked(served, "ahri", text="hello", settings=json.dumps(settings))
    assert (answer.status_code >= 400, says in answer.json()["error"]) == (True, True), answer.text
