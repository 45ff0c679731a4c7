"""A real Triton under load: every request is answered, nothing is restarted, and the statistics count compute time."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tritonclient.grpc as grpc

from tests.deploy.triton import load
from tests.deploy.triton.clicking import LINE, SAMPLES, STEP_S, python_for
from tests.deploy.triton.grpc_requests import streamed
from tests.deploy.triton.sagemaker import Platform
from tests.deploy.triton.serving import Stack, model_of, on_linux, served
from tests.studio.archive.archives import EARLIER, base, files, pack_now, unpack_now
from tests.waiting import until

REQUESTS = 240, pytest.param(2_000, marks=pytest.mark.long)
WHOLE = {len(LINE) * SAMPLES}

pytestmark = on_linux


@pytest.fixture(scope="module")
def renewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Import the earlier archive and pack it again."""
    folder = tmp_path_factory.mktemp("renewed")
    members = unpack_now(EARLIER, folder / "staged").members
    pack_now({name: folder / "staged" / name for name in members}, folder / "ahri.tar.gz")
    return folder / "ahri.tar.gz"


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory, renewed: Path) -> Iterator[Stack]:
    """Serve a model for each engine, and the renewed archive as models with one instance and with four."""
    folder = tmp_path_factory.mktemp("load")
    model_of(renewed, folder / "models" / "ahri")
    config = model_of(renewed, folder / "models" / "counted") / "config.pbtxt"
    config.write_text(config.read_text("utf-8").replace("count: 1", "count: 4"), "utf-8")
    with served(folder / "served", PYTHON=python_for(folder), MODEL_REPOSITORY=folder / "models") as running:
        yield running


@pytest.mark.long
@pytest.mark.parametrize("requests", REQUESTS)
def test_triton_survives_requests_by_every_way_at_once(stack: Stack, requests: int) -> None:
    ways = {
        "HTTP": load.over_http(stack, "s1mini"),
        "gRPC": load.over_grpc("f5tts"),
        "stream": load.in_a_stream("s1mini_stream"),
        "archive": load.over_http(stack, "ahri", "ahri"),
    }
    before = load.processes(stack)
    assert load.asked(stack, ways, requests) == dict.fromkeys(ways, WHOLE)
    assert load.processes(stack) == before


@pytest.mark.long
def test_triton_survives_clients_that_disconnect(stack: Stack) -> None:
    before = load.processes(stack)
    assert load.asked(stack, {"left": load.left_early("s1mini_stream")}, 64) == {"left": {SAMPLES}}
    assert load.processes(stack) == before


@pytest.mark.long
def test_triton_survives_requests_by_sagemakers_front_end(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, renewed: Path
) -> None:
    pack_now(files(tmp_path / "members", base()), tmp_path / "new.tar.gz")
    with served(tmp_path / "served", PYTHON=python_for(tmp_path), SAGEMAKER_MULTI_MODEL="true") as stack:
        platform = Platform(stack)
        for archive in (renewed, tmp_path / "new.tar.gz"):
            platform.unpack(archive)
            assert platform.load(archive.name).status_code == 200
        ways = {
            "JSON": load.by_sagemaker(platform, renewed.name),
            "bytes": load.by_sagemaker_in_bytes(platform, "new.tar.gz"),
            "bytes, renewed": load.by_sagemaker_in_bytes(platform, renewed.name),
        }
        before = load.processes(stack)
        assert load.asked(stack, ways, 2_000) == dict.fromkeys(ways, WHOLE)
        assert load.processes(stack) == before


@pytest.mark.long
def test_an_archive_of_several_instances_is_ready_although_all_bring_its_champion(stack: Stack) -> None:
    assert stack.public.get("/v2/models/counted/ready").status_code == 200


@pytest.mark.long
@pytest.mark.parametrize("model", ["f5tts", "s1mini_stream", "counted"])
def test_statistics_count_the_time_that_a_line_takes(stack: Stack, model: str) -> None:
    with grpc.InferenceServerClient(stack.grpc) as client:
        before, began = counted(client, model), time.monotonic()
        for _ in streamed(client, model, text=LINE, champion_id="ahri"):
            pass
        until(lambda: counted(client, model).success.count > before.success.count)
        took_s = time.monotonic() - began
        counted_s = (counted(client, model).compute_infer.ns - before.compute_infer.ns) / 1e9
    assert len(LINE) * STEP_S <= counted_s <= took_s, (counted_s, took_s)


def counted(client: grpc.InferenceServerClient, model: str) -> Any:
    (statistics,) = client.get_inference_statistics(model).model_stats
    return statistics.inference_stats
