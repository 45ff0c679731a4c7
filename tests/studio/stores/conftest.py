"""A real S3 server, the Hub's protocol, a proxy that breaks both, and something to send."""

import hashlib
import logging
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

os.environ.setdefault("S3_UPLOAD_PART_MIN_SIZE", "1024")  # moto reads it once; parts here are small
os.environ.setdefault("MOTO_S3_DEFAULT_MAX_KEYS", "4")  # and pages of a listing short

import boto3
import httpx
from moto import settings
from moto.server import ThreadedMotoServer

from engines.types import Progress
from studio.stores.backend import TransferSettings
from studio.stores.entry import ArchiveFacts
from studio.stores.factory import open_stores
from studio.stores.hub import HubBackend
from studio.stores.places import HubPlace, parse_stores
from studio.stores.store import Store
from tests.studio.stores.hub_double import REPO, Hub
from tests.studio.stores.proxy import Proxy

KEY, SECRET, TOKEN = "AKIACANARYCANARYCANA", "canary/secret+canary/secret+canary12345", "hf_canarycanarycanary"
BUCKET, PREFIX = "champions", "f5tts-models/"
PART = 64 * 1024
SIZE = 7 * PART + 4321  # eight parts, the last one short
SETTINGS = TransferSettings(part_bytes=PART, timeout_s=60.0, retry_for_s=10.0)  # a busy machine is no stall
HASTY = replace(SETTINGS, timeout_s=3.0)  # where a connection stalls


@dataclass
class Archive:
    """Something to send: bytes that gzip could not shrink, and what is known of them."""

    path: Path
    facts: ArchiveFacts

    @property
    def content(self) -> bytes:
        return self.path.read_bytes()


@dataclass
class Watching:
    """Collects progress; stops the transfer once it is further than `until`."""

    until: float = 2.0
    stop: threading.Event = field(default_factory=threading.Event)
    reports: list[Progress] = field(default_factory=list)

    def __call__(self, progress: Progress) -> None:
        self.reports.append(progress)
        if progress.fraction > self.until:
            self.stop.set()


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    nowhere = str(tmp_path / "no-such-file")
    for name, value in {
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": nowhere,
        "AWS_SHARED_CREDENTIALS_FILE": nowhere,
        "AWS_EC2_METADATA_DISABLED": "true",
        "HF_TOKEN": TOKEN,
    }.items():
        monkeypatch.setenv(name, value)


def made(folder: Path, seed: int = 1, size: int = SIZE) -> Archive:
    path = folder / f"made-{seed}.tar.gz"
    content = np.random.default_rng(seed).bytes(size)
    path.write_bytes(content)
    sha256 = hashlib.sha256(content).hexdigest()
    identity = hashlib.sha256(sha256.encode()).hexdigest()
    return Archive(path, ArchiveFacts(sha256=sha256, identity=identity, bytes=size, licence="CC-BY-NC-4.0"))


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return made(tmp_path)


@pytest.fixture(scope="session")
def moto() -> Iterator[int]:
    assert settings.S3_UPLOAD_PART_MIN_SIZE <= PART, "moto was imported before this file could set its part size"
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield server.get_host_and_port()[1]
    server.stop()


@pytest.fixture
def s3(moto: int):
    """boto3's client, straight to the server, whose bucket is new."""
    client = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{moto}")
    client.create_bucket(Bucket=BUCKET)
    yield client
    httpx.post(f"http://127.0.0.1:{moto}/moto-api/reset")


@pytest.fixture
def proxy(moto: int) -> Iterator[Proxy]:
    proxy = Proxy(moto)
    yield proxy
    proxy.close()


def line(endpoint: str, bucket: str = BUCKET, more: str = "") -> str:
    return f"bucket=s3://{bucket}/{PREFIX}?endpoint={endpoint}&addressing=path{more}"


@pytest.fixture
def bucket(s3, proxy: Proxy, tmp_path: Path) -> Callable[..., Store]:
    """Opens the store, as a studio that was started anew does."""

    def opened(more: str = "", settings: TransferSettings = SETTINGS) -> Store:
        return open_stores(parse_stores([line(proxy.url, more=more)]), tmp_path / "transfers", settings)["bucket"]

    return opened


@pytest.fixture
def hub() -> Iterator[Hub]:
    hub = Hub(token=TOKEN)
    yield hub
    hub.close()


@pytest.fixture
def hub_proxy(hub: Hub) -> Iterator[Proxy]:
    proxy = Proxy(hub.port)
    yield proxy
    proxy.close()


@pytest.fixture
def repository(hub_proxy: Proxy, tmp_path: Path) -> Callable[..., Store]:
    def opened(repo: str = REPO, settings: TransferSettings = SETTINGS) -> Store:
        backend = HubBackend(HubPlace("hub", repo), settings, hub_proxy.url)
        return Store("hub", backend, tmp_path / "transfers" / "hub", settings)

    return opened
