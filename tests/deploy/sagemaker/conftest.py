"""AWS, played by moto, and a SageMaker runtime, both on loopback; boto3's settings point there."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.deploy.sagemaker.runtime import Runtime
from tests.studio.stores.conftest import _credentials, moto

if TYPE_CHECKING:
    from tests.deploy.sagemaker.updates import Updates

__all__ = ["_credentials", "moto"]


@pytest.fixture
def updates(moto: int, monkeypatch: pytest.MonkeyPatch) -> "Iterator[Updates]":
    """Provide an empty account."""
    from tests.deploy.sagemaker.updates import Updates  # imports moto, after the stores' tests have set its part size

    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{moto}")
    made = Updates()
    made.play(monkeypatch)
    yield made
    httpx.post(f"http://127.0.0.1:{moto}/moto-api/reset")


@pytest.fixture(scope="session")
def runtime_server() -> Iterator[Runtime]:
    with Runtime() as made:
        yield made


@pytest.fixture
def runtime(runtime_server: Runtime, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runtime]:
    """Provide the runtime of an endpoint `champions` without requests."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME", runtime_server.url)
    monkeypatch.setenv("ENDPOINT", "champions")
    runtime_server.reset()
    yield runtime_server
    runtime_server.go.set()
