"""Packed champions sent to the prefix that an endpoint serves."""

from pathlib import Path
from typing import Any

import boto3
import pytest

from deploy.sagemaker.commands import main
from tests.deploy.sagemaker.updates import Updates
from tests.studio.archive.archives import base, files, pack_now
from tests.studio.stores.conftest import BUCKET


@pytest.fixture
def bucket(updates: Updates, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STUDIO_DATA_DIR", str(tmp_path / "data"))
    client = boto3.client("s3")
    client.create_bucket(Bucket=BUCKET)
    return client


def keys(bucket: Any) -> list[str]:
    return [one["Key"] for one in bucket.list_objects_v2(Bucket=BUCKET).get("Contents", [])]


def synced(source: str) -> int:
    return main(["sync", source, f"s3://{BUCKET}/f5tts-models?addressing=path"])


@pytest.mark.parametrize("source", ["folder", "store"])
def test_archives_are_sent_once(
    bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], source: str
) -> None:
    packed = tmp_path / "packed"
    packed.mkdir()
    pack_now(files(tmp_path / "members", base()), packed / "ahri.tar.gz")
    monkeypatch.setenv("STUDIO_STORES", f"shelf=folder:{packed}")
    said = []
    for _ in range(2):
        assert synced("shelf" if source == "store" else str(packed)) == 0
        said.append(capsys.readouterr().out.strip())
    assert (said[0].startswith("ahri is sent"), said[1]) == (True, "ahri is there already")
    assert keys(bucket) == ["f5tts-models/ahri.tar.gz"]
    sent = bucket.get_object(Bucket=BUCKET, Key="f5tts-models/ahri.tar.gz")["Body"].read()
    assert sent == (packed / "ahri.tar.gz").read_bytes()


def test_what_an_endpoint_could_not_load_is_not_sent(
    bucket: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = tmp_path / "packed"
    packed.mkdir()
    pack_now(files(tmp_path / "members", base()), packed / "yasuo.tar.gz")  # it is ahri
    assert synced(str(packed)) == 1
    assert "holds another champion" in capsys.readouterr().err
    (packed / "yasuo.tar.gz").write_bytes(b"no archive")
    assert (synced(str(packed)), synced("nowhere"), keys(bucket)) == (1, 1, [])
    assert "neither a folder nor one of STUDIO_STORES" in capsys.readouterr().err
